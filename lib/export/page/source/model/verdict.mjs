import { counted, duration, percent } from '../format.mjs'
import { endOf } from './culprits.mjs'
import { asideOf, placeOf } from './words.mjs'

const NUMBERS = ['No', 'One', 'Two', 'Three']
/** So much of the time is most of it. */
const MOST = 0.5

/** @typedef {{ fromMs: number, toMs: number }} Range */

/** The part of a block that lies within a range, ms. @param {any} row @param {Range} range */
export function withinMs (row, { fromMs, toMs }) {
  return Math.max(0, Math.min(endOf(row), toMs) - Math.max(Date.parse(row.startedAt), fromMs))
}

/** What blocks of one loop come to. @param {any[]} rows in the range @param {Range} range */
export function sumOf (rows, range) {
  const sum = (/** @type {any[]} */ some) => some.reduce((ms, row) => ms + withinMs(row, range), 0)
  const aside = rows.filter((row) => asideOf(row) !== null)
  const lengthMs = Math.max(1, range.toMs - range.fromMs)
  const blockedMs = sum(rows)
  return { lengthMs, blockedMs, count: rows.length, share: Math.min(1, blockedMs / lengthMs), asideMs: sum(aside) }
}

/**
 * How few places, at most three, make most of the time.
 * @param {any[]} rows
 * @param {Range} range
 * @param {number} allMs of all blocks
 */
function fewPlaces (rows, range, allMs) {
  /** @type {Map<string, number>} */
  const byPlace = new Map()
  for (const row of rows.filter(({ frame }) => frame !== null)) {
    byPlace.set(placeOf(row), (byPlace.get(placeOf(row)) ?? 0) + withinMs(row, range))
  }
  const places = [...byPlace].sort(([, a], [, b]) => b - a).slice(0, 3)
  let ms = 0
  for (const [i, [, own]] of places.entries()) {
    ms += own
    if (ms >= MOST * allMs) return { count: i + 1, share: ms / allMs, first: places[0][0] }
  }
  return null
}

/**
 * What happened in a range, in a sentence or three.
 * @param {any[]} rows of main loops, in the range
 * @param {Range} range
 * @param {{ thresholdMs: number, loops: number }} more `loops`: of this many processes
 */
export function verdictOf (rows, range, { thresholdMs, loops }) {
  const { lengthMs, blockedMs, count, share, asideMs } = sumOf(rows, range)
  const within = `In ${duration(lengthMs)}`
  if (count === 0) return `${within} nothing blocked ${loops > 1 ? 'a loop' : 'the loop'} for ${duration(thresholdMs)} or longer.`
  const howOften = count === 1 ? 'once' : `${count} times`
  const sentences = [loops > 1
    ? `${within} loops were blocked for ${duration(blockedMs)} in all, ${howOften}.`
    : `${within} the loop was blocked ${percent(share)} of the time, ${howOften}.`]
  const own = rows.filter((row) => asideOf(row) === null)
  const few = fewPlaces(own, range, blockedMs)
  if (few !== null && few.count === 1) sentences.push(`One line makes ${percent(few.share)} of it: ${few.first}.`)
  else if (few !== null) sentences.push(`${NUMBERS[few.count]} lines make ${percent(few.share)} of it.`)
  if (asideMs > 0) sentences.push(`${percent(asideMs / blockedMs)} was not your code.`)
  return sentences.join(' ')
}

/** A range against an earlier one. @param {any[]} rows of both @param {Range} range @param {Range} base */
export function comparison (rows, range, base) {
  const [now, before] = [range, base].map((each) => sumOf(rows.filter((row) => withinMs(row, each) > 0), each))
  const told = (/** @type {typeof now} */ { share, count }) => `${percent(share)} in ${counted(count, 'block')}`
  return `Baseline ${told(before)}; this range ${told(now)}.`
}

/** What is folded away, with the number and time of each kind; empty where there is nothing. @param {any[]} rows */
export function asideNote (rows) {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const row of rows) {
    const kind = asideOf(row)
    if (kind !== null) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  const aside = rows.filter((row) => asideOf(row) !== null)
  if (aside.length === 0) return ''
  const ms = aside.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return `Besides, ${counted(aside.length, 'block')} (${duration(ms)}) ${aside.length === 1 ? 'is' : 'are'} not your code: ${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')}.`
}
