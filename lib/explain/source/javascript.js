'use strict'

// JavaScript is read as text, not parsed: it may be of any version, have types, or begin in the midst of a function.

/** A regular expression may begin after these. Before its `/`, Node.js 20 and 22 would look back from every blank. */
const BEGIN = /\/(?<=(?:(?:^|=>|[(=,:[!&|?{};])\s*|\breturn\s+)\/)/.source
const PART = /(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])/.source

/**
 * Brackets and separators, and what may contain others: comments, strings, templates, regular expressions. Time is in
 * proportion to the text, or a large file would hold up the watchdog: what has no end is tried once, not from each
 * character. So an escape is a token (a quote in it begins nothing), a comment without an end goes to the end of the
 * text, and a class of characters without one to the end of its line.
 */
const TOKEN = new RegExp([
  /\\[^]|\/\/.*|\/\*(?:[^]*?\*\/|[^]*)|'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`/.source,
  `${BEGIN}(?!\\*)${PART}+\\/[dgimsuvy]*`,
  `${BEGIN}${PART}*${/\[(?:\\.|[^\]\\\n])*(?![^\n])/.source}`,
  /[()[\]{};,]|=>/.source
].join('|'), 'g')
const REG_EXP = /^\/[^/*].*\/\w*$/
/** An expression of a template. One without an end goes to the end of the text, for the same reason. */
const EXPRESSION = /\$\{([^}]*)(\}?)/g
/** Words before a parenthesis that are not calls. */
const KEYWORD =
  /^(?:if|for|while|switch|catch|with|return|await|typeof|void|yield|in|of|case|else|do|throw|delete|function)$/
const OPENING = '([{'
const CLOSING = ')]}'
/** A character of a name or a number. */
const WORD = /[\w$]/

/**
 * The offset of a place, null without such a line.
 * @param {string} text @param {number} line @param {number} column from 1
 */
function positionIn (text, line, column) {
  let start = 0
  for (let left = line - 1; left > 0; left--) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return null
  }
  return start + column - 1
}

/** Whether a token or a line end is there. @param {string} text @param {number} line from 1 @param {number} column */
exports.mayBePlaceOf = (text, line, column) => {
  const at = line < 1 || column < 1 ? null : positionIn(text, line, column)
  if (at === null || at > text.length || text.slice(at - column + 1, at).includes('\n')) return false
  const first = text[at] ?? '\n'
  if (WORD.test(first)) return column === 1 || !WORD.test(text[at - 1])
  return first !== ' ' && first !== '\t'
}

/**
 * The tokens of TOKEN, in order. A template is one, whatever its expressions contain. @param {string} text
 * @returns {Generator<{ token: string, index: number, step: number }>} `step` is 1 into a bracket, and -1 out of it
 */
function * tokensOf (text) {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    yield { token, index, step: Number(OPENING.includes(token)) - Number(CLOSING.includes(token)) }
  }
}

/** The expressions of a template. @param {string} token @returns {{ text: string, at: number }[]} */
const expressionsOf = (token) => token[0] !== '`'
  ? []
  : [...token.matchAll(EXPRESSION)].flatMap(({ 1: text, 2: end, index }) => end === '' ? [] : [{ text, at: index + 2 }])

/** Pairs of brackets, both ways, also in templates. @param {string} text @returns {Map<number, number>} */
function pairsIn (text) {
  /** @type {Map<number, number>} */
  const pairs = new Map()
  const open = []
  for (const { token, index, step } of tokensOf(text)) {
    for (const { text: within, at } of expressionsOf(token)) {
      for (const [from, to] of pairsIn(within)) pairs.set(index + at + from, index + at + to)
    }
    if (step === 1) open.push(index)
    const other = step === -1 ? open.pop() : undefined
    if (other !== undefined) pairs.set(index, other).set(other, index)
  }
  return pairs
}

/** The literals of regular expressions; also within templates. @param {string} text @returns {string[]} */
const regExpsIn = (text) => [...tokensOf(text)].flatMap(({ token }) =>
  REG_EXP.test(token) ? [token] : expressionsOf(token).flatMap(({ text: within }) => regExpsIn(within)))

/** A text as a part of a pattern. @param {string} text */
exports.escaped = (text) => text.replace(/[^\w\s]/g, '\\$&')

exports.pairsIn = pairsIn
exports.positionIn = positionIn
exports.regExpsIn = regExpsIn
exports.tokensOf = tokensOf
exports.KEYWORD = KEYWORD
