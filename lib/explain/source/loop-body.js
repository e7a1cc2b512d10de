'use strict'

const { pairsIn, tokensOf } = require('./javascript')

/** The first line of a loop whose body is in the lines below it. */
const HEAD = /^(\s*(?:\w+:\s*)?(?:(?:for\s+await|for|while)\s*\(.*\)|do)\s*)\{\s*(?:\/\/.*)?$/
/** A built-in that calls a function for each element, which begins in this line. */
const EACH = /\.(?:forEach|map|flatMap|filter|reduce|some|every|find|findIndex)\s*\(.*(\{)\s*(?:\/\/.*)?$/
/** Lines of a loop that are searched for its end. */
const MOST_LINES = 200
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/

/** @typedef {{ line: number, ticks: number }[]} Ticks */

/**
 * The lines with code of a loop, or of a function that is called for each element, that begins in this line.
 * @param {string[]} lines of the file @param {number} line from 1
 */
exports.bodyOf = (lines, line) => {
  const text = lines[line - 1] ?? ''
  const start = HEAD.exec(text)?.[1].length ?? EACH.exec(text)?.[0].lastIndexOf('{')
  if (start === undefined) return []
  const open = text.indexOf('{', start)
  const below = lines.slice(line - 1, line + MOST_LINES).join('\n')
  const rows = below.slice(open, pairsIn(below).get(open) ?? open).split('\n').slice(1)
  return rows.flatMap((row, i) => row.trim() === '' || COMMENT.test(row) ? [] : [line + 1 + i])
}

/** The lines with code of the innermost loop around a line. @param {string[]} lines @param {number} line from 1 */
exports.loopAround = (lines, line) => {
  for (let head = line - 1; head > 0 && head > line - MOST_LINES; head--) {
    const body = exports.bodyOf(lines, head)
    if (body.includes(line)) return body
  }
  return []
}

/** If a function's end is not found within this length, everything below it counts as its own. */
const FUNCTION_CHARS = 100000

/**
 * The last line of a function. V8 counts samples of inlined code as the outer function's, in lines of the other file:
 * `performance.now()` in a loop of line 53 makes samples in lines 139 and 530 (20.20, 24.21).
 * @param {string[]} lines of its file @param {number} first line of it, from 1 @param {number} column of its parameters
 * @param {number} [last] line that is searched @returns {number} Infinity if it does not end there
 */
function endOf (lines, first, column, last) {
  const text = lines.slice(first - 1, last).join('\n').slice(column - 1, column + FUNCTION_CHARS)
  let depth = 0
  let hasBody = false
  for (const { token, index, step } of tokensOf(text)) {
    if (depth === 0 && token === '{') hasBody = true
    depth += step
    // An arrow function without braces ends with the brackets around it.
    const isEnd = depth < 0 || (depth === 0 && (step === -1 ? hasBody : ';,'.includes(token)))
    if (isEnd) return first + text.slice(0, index).split('\n').length - 1
  }
  return Infinity
}

/**
 * Most samples first, without lines that cannot be the function's own.
 * @param {Ticks} ticks
 * @param {{ line: number | null, column: number | null }} start of the function, from 1
 * @param {string[] | null} lines of its file, null if unknown
 */
exports.ownTicks = (ticks, { line: first, column }, lines) => {
  if (first === null) return []
  const last = lines === null || ticks.every(({ line }) => line === first) ? Infinity : endOf(lines, first, column ?? 1)
  return ticks.filter(({ line }) => line >= first && line <= last).sort((a, b) => b.ticks - a.ticks)
}

/** @param {Ticks} ticks */
exports.ticksIn = (ticks) => ticks.reduce((sum, each) => sum + each.ticks, 0)

/** The first line of a function, not of a branch or a loop, with the parameters at its end. */
const FUNCTION_HEAD = new RegExp([
  /\bfunction\b/,
  /=>\s*\{?\s*$/,
  /^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|with)\b)[\w$#*]+\s*\([^;]*\)\s*\{\s*$/
].map(({ source }) => source).join('|'))

/**
 * Where the parameters of the innermost function around a line begin.
 * @param {string[]} lines of the file @param {number} line from 1
 */
exports.functionAround = (lines, line) => {
  for (let first = line; first > Math.max(0, line - MOST_LINES); first--) {
    const text = lines[first - 1] ?? ''
    const head = FUNCTION_HEAD.exec(text)
    if (head === null) continue
    const arrow = text.lastIndexOf('=>')
    const open = arrow === -1 ? text.indexOf('(', head.index) : Math.max(0, text.lastIndexOf('(', arrow))
    if (endOf(lines, first, open + 1, line - 1) === Infinity) return { line: first, column: open + 1 }
  }
  return null
}

exports.endOf = endOf
