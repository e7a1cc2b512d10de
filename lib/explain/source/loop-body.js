'use strict'

const { pairsIn, tokensOf } = require('./javascript')

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
 * Moves a place from the head of a loop to the only line of its body. V8 answers interrupts where the next iteration
 * begins, whichever line takes long.
 * @param {FrameRecord} frame by interrupts @param {(file: string) => string[] | null} textOf a file
 * @returns {FrameRecord}
 */
exports.offHead = (frame, textOf) => {
  const lines = !frame.exact || frame.file === null || frame.compiled ? null : textOf(frame.file)
  const body = lines === null || frame.line === null ? null : bodyOf(lines, frame.line)
  if (lines === null || body === null || body.code.length !== 1 || !body.isCheap) return frame
  const [line] = body.code
  return { ...frame, line, column: lines[line - 1].search(/\S/) + 1 }
}

/** A line after which a block has more of the code, and the end of a loop that has it before. */
const BLOCK = /(?:\{|\bdo|^\s*(?:for|while)\b.*\))\s*(?:\/\/.*)?$|^\s*\}\s*while\b/
/** Whether a block is empty, by the line after its first one. */
const END = /^\s*\}/

/**
 * Whether interrupts that show a line may have been answered for others: V8 looks for them where a function begins and
 * where a loop begins again. If a call in the same loop is native and short, they are answered after it.
 * @param {string[]} lines of the file @param {number} line from 1
 */
exports.answersForOthers = (lines, line) => {
  const text = lines[line - 1] ?? ''
  if (BLOCK.test(text) && !END.test(lines[line] ?? '')) return true
  for (let head = line - 1; head > 0 && head > line - MOST_LINES; head--) {
    const code = bodyOf(lines, head)?.code ?? callbackOf(lines, head)
    if (code.includes(line)) return code.some((each) => each !== line && CALL.test(lines[each - 1]))
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

/** If a function's end is not found within this length, everything below it counts as its own. */
const FUNCTION_CHARS = 100000

/**
 * The last line of a function. V8 counts samples of inlined code as the outer function's, in lines of the other file:
 * `performance.now()` in a loop of line 53 makes samples in lines 139 and 530 (20.20, 24.21).
 * @param {string[]} lines of its file @param {number} first line of it, from 1 @param {number} column of its parameters
 */
function endOf (lines, first, column) {
  let text = (lines[first - 1] ?? '').slice(column - 1)
  for (let i = first; i < lines.length && text.length < FUNCTION_CHARS; i++) text += `\n${lines[i]}`
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

/** @param {Ticks} ticks */
exports.ticksIn = (ticks) => ticks.reduce((sum, each) => sum + each.ticks, 0)

exports.bodyOf = bodyOf
exports.callbackOf = callbackOf
exports.endOf = endOf
