'use strict'

// What may be said of two figures, so that sentences cannot claim what was not measured.
const { count, figure } = require('./format')
const { differenceOf, halfOf } = require('../measure/stats')

/** @typedef {{ samples: number[] }} Measured a cell, or a further figure of one: a sample of each repeat */
/**
 * @typedef {'more' | 'less' | 'same' | 'unclear' | 'few'} Answer same: no difference that matters; few: too few runs
 * for an interval
 */

/** A ratio between these makes no difference that matters: nobody changes a program for less than a tenth. */
const SAME = [Math.log(0.9), Math.log(1.1)]
/** Standard errors that the interval needs to spare: then four of five runs tell, and without them every other one. */
const FOUR_OF_FIVE = 0.84

/**
 * The logarithm of how many times as much one is as the other, as noise multiplies; null if a figure is not above 0.
 * @param {Measured} a @param {Measured} b
 */
const logRatioOf = ({ samples: as }, { samples: bs }) =>
  Math.min(...as, ...bs) > 0 ? differenceOf(as.map(Math.log), bs.map(Math.log)) : null

/** @typedef {NonNullable<ReturnType<typeof logRatioOf>>} LogRatio */

/**
 * By the interval of their ratio. One within 0.9 to 1.1 makes no difference that matters even if 1 is not in it.
 * @param {LogRatio | null} ratio @returns {Answer}
 */
function answerOf (ratio) {
  if (ratio === null) return 'unclear'
  if (ratio.ci95 === null) return 'few'
  const [low, high] = ratio.ci95
  if (low >= SAME[0] && high <= SAME[1]) return 'same'
  return low > 0 ? 'more' : high < 0 ? 'less' : 'unclear'
}

/** Whether one is more than the other. @param {Measured} a @param {Measured} b */
const contrast = (a, b) => answerOf(logRatioOf(a, b))

/**
 * How many repeats would tell if the ratio and the spread are what these runs have.
 * @param {LogRatio} ratio
 */
function repeatsToTell ({ pairs, middle, deviation }) {
  const distance = Math.max(Math.abs(middle), Math.min(middle - SAME[0], SAME[1] - middle))
  const spread = Number(deviation)
  let repeats = pairs + 1
  while (halfOf(repeats, spread) + FOUR_OF_FIVE * spread / Math.sqrt(repeats) > distance) repeats++
  return count(Number(repeats.toPrecision(2)))
}

/** "one run", "two runs". @param {number} runs fewer than an interval needs */
const few = (runs) => runs === 1 ? 'one run' : 'two runs'

/**
 * A median with its interval.
 * @param {import('../interface').Summary | import('../interface').Cell} measured @param {string} unit
 */
exports.withInterval = ({ median, ci95, samples }, unit) =>
  `${figure(median)} ${unit} (${ci95 === null ? few(samples.length) : `${figure(ci95[0])} to ${figure(ci95[1])}`})`

/**
 * How many times as much one is as the other, that it makes no difference that matters, or that these runs cannot tell.
 * @param {Measured | undefined} a @param {Measured | undefined} b
 */
exports.compared = (a, b) => {
  if (a === undefined || b === undefined) return 'not measured'
  const ratio = logRatioOf(a, b)
  if (ratio === null) return 'cannot be told apart: a run measured 0'
  const times = `${figure(Math.exp(ratio.middle))} times`
  if (ratio.ci95 === null) return `${times} (${few(ratio.pairs)})`
  const range = ratio.ci95.map((end) => figure(Math.exp(end))).join(' to ')
  const answer = answerOf(ratio)
  if (answer === 'same') return `no difference that matters (${times}, ${range})`
  if (answer === 'unclear') return `cannot be told apart in these runs (${times}, ${range}; about ${repeatsToTell(ratio)} repeats would tell)`
  return `${times} (${range})`
}

/**
 * By how much one is more than the other: for figures that may be 0, which have no ratio.
 * @param {Measured} a @param {Measured} b @param {string} unit
 */
exports.surplus = (a, b, unit) => {
  const { pairs, middle, ci95 } = differenceOf(a.samples, b.samples)
  if (ci95 === null) return `${figure(middle)} ${unit} (${few(pairs)})`
  const range = `${figure(ci95[0])} to ${figure(ci95[1])}`
  return ci95[0] <= 0 && ci95[1] >= 0 ? `cannot be told from 0 in these runs (${range} ${unit})` : `${figure(middle)} ${unit} (${range})`
}

/**
 * Whether one is less than so many times the other; null if these runs cannot tell. A single run tells by its figure.
 * @param {Measured} a @param {Measured} b @param {number} times
 */
exports.isBelow = (a, b, times) => {
  const ratio = logRatioOf(a, b)
  if (ratio === null) return null
  const [low, high] = ratio.ci95 ?? [ratio.middle, ratio.middle]
  return high < Math.log(times) ? true : low < Math.log(times) ? null : false
}

/**
 * A sentence on two ways: which one is more and by how much, that it does not matter, or that nobody can tell.
 * @param {Measured} a @param {Measured} b
 * @param {{ of: string, more: string, less: string }} words of = which ratio this is
 */
exports.told = (a, b, { of, more, less }) => {
  const answer = contrast(a, b)
  return `${answer === 'more' ? more : answer === 'less' ? less : of}: ${exports.compared(a, b)}.`
}

exports.contrast = contrast
