'use strict'

/**
 * The offset of a place in a text, null if it has no such line. @param {string} text @param {number} line
 * @param {number} column from 1
 */
function positionIn (text, line, column) {
  let start = 0
  for (let left = line - 1; left > 0; left--) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return null
  }
  return start + column - 1
}

/** A character of a name or a number. */
const WORD = /[\w$]/

/**
 * Whether V8 may report a place of a text: it reports where a token begins, or where a line ends.
 * @param {string} text @param {number} line from 1 @param {number} column from 1
 */
function mayBeToldOf (text, line, column) {
  const at = line < 1 || column < 1 ? null : positionIn(text, line, column)
  if (at === null || at > text.length || text.slice(at - column + 1, at).includes('\n')) return false
  const first = text[at] ?? '\n'
  if (WORD.test(first)) return column === 1 || !WORD.test(text[at - 1])
  return first !== ' ' && first !== '\t'
}

exports.positionIn = positionIn
exports.mayBeToldOf = mayBeToldOf
