'use strict'

const { pairsIn } = require('./javascript')

/** @import { FrameRecord } from '../../types' */

/** The first line of a loop whose body is in the lines below it, with what its parentheses contain. */
const HEAD = /^(\s*(?:\w+:\s*)?(?:(?:for\s+await|for|while)\s*\((.*)\)|do)\s*)\{\s*(?:\/\/.*)?$/
/** The iterable is evaluated once. Any other condition with a call may be what takes the time. */
const THROUGH = /\s(?:of|in)\s/
/** A built-in that calls a function for each element, which begins in this line. */
const EACH = /\.(?:forEach|map|flatMap|filter|reduce|some|every|find|findIndex)\s*\(.*(\{)\s*(?:\/\/.*)?$/
/** A call, and words and built-ins that take no time of their own. */
const CALL = /(?<!\bMath\.)(?<![\w$])(?!(?:if|for|while|switch|catch|return|function|Number|String|Boolean|push)\b)[\w$]+\s*\(/
/** Lines of a loop that are searched for its end. */
const MOST_LINES = 200
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/
/** Fewer samples at the head of a loop do not show that it takes the time: what it calls has frames of its own. */
const ENOUGH_AT_HEAD = 3

/** @typedef {{ line: number, ticks: number }[]} Ticks */

/**
 * The lines with code of a loop that begins in this line. `isCheap`: its head calls nothing.
 * @param {string[]} lines of the file @param {number} line from 1
 * @returns {{ code: number[], isCheap: boolean } | null}
 */
function bodyOf (lines, line) {
  const head = HEAD.exec(lines[line - 1] ?? '')
  if (head === null) return null
  const [, { length: open }, condition = ''] = head
  const text = lines.slice(line - 1, line + MOST_LINES).join('\n')
  const body = text.slice(open, pairsIn(text).get(open) ?? open).split('\n').slice(1)
  const code = body.flatMap((each, i) => each.trim() === '' || COMMENT.test(each) ? [] : [line + 1 + i])
  return { code, isCheap: THROUGH.test(condition) || !condition.includes('(') }
}

/**
 * Moves a place from the head of a loop to the line of its body that took the time. V8 answers interrupts where the
 * next iteration begins, whichever line takes long. A profile's samples are in any line, so few of them outweigh many
 * interrupts. Without samples, a body of a single line took the time. V8 does not know the line of each sample.
 * @param {FrameRecord} frame by interrupts @param {Ticks} ticks of samples by line of the same file
 * @param {string[] | null} lines of the file, null if it cannot be read
 * @param {boolean} [isSampled] a profile has samples of the function @returns {FrameRecord}
 */
exports.offHead = (frame, ticks, lines, isSampled = false) => {
  const body = lines === null || frame.line === null ? null : bodyOf(lines, frame.line)
  if (lines === null || body === null) return frame
  const countAt = (/** @type {number} */ line) =>
    ticks.filter((each) => each.line === line).reduce((sum, each) => sum + each.ticks, 0)
  const [most] = body.code.map((line) => ({ line, ticks: countAt(line) })).sort((a, b) => b.ticks - a.ticks)
  const atHead = countAt(/** @type {number} */ (frame.line))
  if (most === undefined) return frame
  const isMost = most.ticks > 0 && most.ticks >= atHead
  const isOnly = most.ticks === 0 && body.code.length === 1
  const isCertain = isMost || (isOnly && body.isCheap && atHead === 0)
  const isGuess = isSampled && atHead < ENOUGH_AT_HEAD && !isCertain
  if (!isCertain && !(isOnly && isGuess)) return { ...frame, exact: frame.exact && !isGuess }
  const column = lines[most.line - 1].search(/\S/) + 1
  return { ...frame, line: most.line, column, exact: frame.exact && isCertain }
}

/**
 * Whether another line of the loop that begins in a line, or else of the innermost around it, makes a call. If that is
 * native and short, interrupts are answered after it, in this line.
 * @param {string[]} lines of the file @param {number} line from 1
 */
exports.isBesideCall = (lines, line) => {
  for (let head = line; head > 0 && head > line - MOST_LINES; head--) {
    const code = bodyOf(lines, head)?.code ?? callbackOf(lines, head)
    const isAround = head === line ? code.length > 0 : code.includes(line)
    if (isAround) return code.some((each) => each !== line && CALL.test(lines[each - 1]))
  }
  return false
}

/**
 * The lines of a function that begins in this line and is called for each element.
 * @param {string[]} lines @param {number} line
 */
function callbackOf (lines, line) {
  const each = EACH.exec(lines[line - 1] ?? '')
  if (each === null) return []
  const start = each.index + each[0].lastIndexOf('{')
  const text = lines.slice(line - 1, line + MOST_LINES).join('\n')
  const count = text.slice(start, pairsIn(text).get(start) ?? start).split('\n').length
  return Array.from({ length: Math.max(0, count - 1) }, (_, i) => line + 1 + i)
}

exports.bodyOf = bodyOf
