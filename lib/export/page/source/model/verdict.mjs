import { excuseOf, isExcused } from '../../../../tables/causes.js'
import { MS_PER_S } from '../../../../util/units.js'
import { groupByCulprit, sharesOf } from '../../../culprits.js'
import { counted, duration, percent, spanWords } from '../format.mjs'
import { endOf } from './culprits.mjs'
import { inRange } from './choose.mjs'
import { asideOf, placeOf } from './labels.mjs'

const NUMBERS = ['', '', 'Two', 'Three']
/** From this share on, a part of the time is most of it. */
const MOST = 0.5
/** Least share that is worth a sentence: each block waits for a CPU now and then. */
const JITTER = 0.02

/** @typedef {{ fromMs: number, toMs: number }} Range */

/** Adds up blocks, and extends the range to all of each. @param {any[]} rows @param {Range} range */
export function sumOf (rows, { fromMs, toMs }) {
  const from = Math.min(fromMs, ...rows.map(({ startedAt }) => Date.parse(startedAt)))
  const lengthMs = Math.max(1, Math.max(toMs, ...rows.map(endOf)) - from)
  const blockedMs = msOf(rows)
  // During a block, its cause is provisional.
  const excused = sharesOf(rows.filter(({ ongoing }) => !ongoing)).filter(({ cause }) => excuseOf(cause) !== undefined)
  return { lengthMs, blockedMs, count: rows.length, share: Math.min(1, blockedMs / lengthMs), excusedMs: msOf(excused) }
}

/** @param {{ durationMs: number }[]} rows */
const msOf = (rows) => rows.reduce((sum, { durationMs }) => sum + durationMs, 0)

/**
 * The smallest number of functions that account for most of the time, null if it is more than three.
 * @param {any[]} rows @param {number} allMs of all blocks
 */
function fewFunctions (rows, allMs) {
  const culprits = groupByCulprit(rows, () => null).filter(({ frame }) => frame !== null).slice(0, 3)
  let ms = 0
  for (const [i, { totalMs }] of culprits.entries()) {
    ms += totalMs
    if (ms >= MOST * allMs) return { share: ms / allMs, places: culprits.slice(0, i + 1).map((each) => placeOf(each)) }
  }
  return null
}

/**
 * Says what happened in a range, in one to three sentences.
 * @param {any[]} rows of main loops, in the range
 * @param {Range} range
 * @param {{ thresholdMs: number, loops: number, isFiltered?: boolean }} more `loops`: number of processes
 */
export function verdictOf (rows, range, { thresholdMs, loops, isFiltered = false }) {
  const { lengthMs, blockedMs, count, share, excusedMs } = sumOf(rows, range)
  const within = `In ${duration(lengthMs)}`
  if (count === 0 && isFiltered) return `${within} no block matches the filters.`
  if (count === 0) {
    return `${within} nothing blocked ${loops > 1 ? 'a loop' : 'the loop'} for ${duration(thresholdMs)} or longer.`
  }
  const howOften = count === 1 ? 'once' : `${count} times`
  const by = isFiltered ? ' by what matches the filters' : ''
  const sentences = [loops > 1
    ? `${within} loops were blocked${by} for ${duration(blockedMs)} in all, ${howOften}.`
    : `${within} the loop was blocked${by} ${percent(share)} of the time, ${howOften}.`]
  const own = rows.filter((row) => asideOf(row) === null)
  const few = fewFunctions(own, blockedMs)
  if (few !== null) {
    const functions = few.places.length === 1
      ? 'One function accounts'
      : `${NUMBERS[few.places.length]} functions account`
    sentences.push(`${functions} for ${percent(few.share)} of it: ${few.places.join(', ')}.`)
  }
  if (excusedMs >= JITTER * blockedMs) sentences.push(`${percent(excusedMs / blockedMs)} was not your code.`)
  return sentences.join(' ')
}

/**
 * Compares a range with its baseline. If they overlap, only what came later is compared.
 * @param {any[]} rows of both @param {Range} range @param {[number, number]} span of the baseline
 */
export function comparison (rows, range, span) {
  const base = { fromMs: span[0], toMs: span[1] }
  const before = inRange(rows, base)
  const isShared = range.fromMs < base.toMs && base.fromMs < range.toMs
  const compared = isShared ? { ...range, fromMs: base.toMs } : range
  const now = inRange(rows, compared).filter((row) => !before.includes(row))
  const summary = (/** @type {any[]} */ blocks, /** @type {Range} */ time) =>
    `${percent(sumOf(blocks, time).share)} in ${counted(blocks.length, 'block')}`
  const rest = compared.toMs - compared.fromMs < MS_PER_S ? 'nothing yet' : summary(now, compared)
  return `Baseline ${spanWords(span)}: ${summary(before, base)}; ${isShared ? 'since then' : 'this range'} ${rest}.`
}

/**
 * The number and time of the blocks that are counted below, and of those folded away by kind. Empty if none are. The
 * verdict counts those of main loops, too.
 * @param {any[]} rows @param {boolean} isShown
 */
export function asideNote (rows, isShown) {
  const aside = rows.filter((row) => asideOf(row) !== null)
  const ofMain = aside.filter(({ threadId }) => !threadId)
  const excused = ofMain.filter((row) => isExcused(row))
  const own = ofMain.filter((row) => !isExcused(row))
  const causes = [...new Set(excused.map(({ cause }) => cause))]
    .map((cause) => `${excused.filter((row) => row.cause === cause).length} ${cause}`)
  const kinds = [
    sumIn(own.filter(({ startup }) => startup), 'at startup'),
    sumIn(own.filter(({ startup }) => !startup), 'allowed'),
    sumIn(aside.filter(({ threadId }) => threadId), 'in worker threads'),
    sumIn(excused, `${excused.length === 1 ? 'is' : 'are'} not your code (${causes.join(', ')})`)
  ].filter(Boolean)
  const shown = isShown ? rows : rows.filter((row) => asideOf(row) === null)
  return kinds.length === 0
    ? ''
    : `${sumIn(shown, 'below') || 'No block below'}. ${isShown ? 'Among them' : 'Not shown'}: ${kinds.join('; ')}.`
}

/** @param {any[]} rows @param {string} what they are */
function sumIn (rows, what) {
  return rows.length === 0 ? '' : `${counted(rows.length, 'block')} of ${duration(msOf(rows))} ${what}`
}
