'use strict'

const { tokensOf } = require('./javascript')

/** If a function's end is not found within this length, everything below it counts as its own. */
const FUNCTION_CHARS = 100000
/** Most lines of a function that are searched for an allocation. */
const NEARBY = 50
/** What makes objects or strings. A `{` that begins a block follows a parenthesis or a keyword. */
const ALLOCATES = /(?:[=([,:?]|=>|\breturn)\s*[{[](?!\s*$)|\bnew\b|`|\.\.\.|['"]\s*\+|\+\s*['"]|\.(?:map|filter|flatMap|flat|concat|slice|split|join|repeat|replace|replaceAll|match|matchAll|entries|keys|values|from|push|unshift|assign|stringify|parse)\s*\(|\bstructuredClone\s*\(/

/** @typedef {{ line: number, ticks: number }[]} Ticks */

/**
 * The last line of a function. V8 counts samples of inlined code as the outer function's, in lines of the other file:
 * `performance.now()` in a loop of line 53 makes samples in lines 139 and 530 (20.20, 24.21).
 * @param {string[]} lines of its file @param {number} first line of it, from 1 @param {number} column of its parameters
 */
function endOf (lines, first, column) {
  const text = lines.slice(first - 1).join('\n').slice(column - 1, column - 1 + FUNCTION_CHARS)
  let depth = 0
  let hasBody = false
  for (const { token, index, isOpening, isClosing } of tokensOf(text)) {
    const lineOf = () => first + text.slice(0, index).split('\n').length - 1
    if (depth === 0 && token === '{') hasBody = true
    if (isOpening) depth++
    else if (isClosing) {
      depth--
      // An arrow function without braces ends with the brackets around it.
      if (depth < 0 || (depth === 0 && hasBody)) return lineOf()
    } else if (depth === 0 && (token === ';' || token === ',')) return lineOf()
  }
  return Infinity
}

/**
 * Most samples first, without lines that cannot be the function's own.
 * @param {Ticks} ticks as V8 counts them: one line may have several entries
 * @param {{ line: number | null, column: number | null }} start of the function, from 1
 * @param {string[] | null} lines of its file, null if unknown
 */
exports.ownTicks = (ticks, { line: first, column }, lines) => {
  if (first === null) return []
  const last = lines === null || ticks.every(({ line }) => line === first) ? Infinity : endOf(lines, first, column ?? 1)
  /** @type {Map<number, number>} */
  const byLine = new Map()
  for (const { line, ticks: count } of ticks) {
    if (line >= first && line <= last) byLine.set(line, (byLine.get(line) ?? 0) + count)
  }
  return [...byLine].map(([line, count]) => ({ line, ticks: count })).sort((a, b) => b.ticks - a.ticks)
}

/** The only one that allocates; else null. @param {string[]} lines of its file @param {number[]} seen from 1 */
exports.allocatingLine = (lines, seen) => {
  const from = Math.min(...seen)
  const to = Math.max(...seen)
  if (to - from > NEARBY) return null
  const found = lines.slice(from - 1, to).flatMap((text, i) => ALLOCATES.test(text) ? [from + i] : [])
  return found.length === 1 ? found[0] : null
}

/** @param {Ticks} ticks */
const ticksIn = (ticks) => ticks.reduce((sum, each) => sum + each.ticks, 0)

exports.endOf = endOf
exports.ticksIn = ticksIn
