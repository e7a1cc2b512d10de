'use strict'

const { inBytes } = require('../util/memory-text')
const { duration } = require('../util/sentence')
const { ascending, median } = require('../util/statistics')

/** Fewer sizes, or sizes that differ by less, say nothing of how time grows. */
const LEAST_SIZES = 8
const LEAST_RANGE = 4
/** The latest blocks of a function that are compared: the estimate takes the square of their number. */
const MOST = 120
/** 97.5% quantile of the normal distribution: the true exponent is outside its bounds in 5% of cases. */
const Z = 1.96
/** Blocks below the threshold are not recorded. So sizes count only if their typical time is this many thresholds. */
const CLEAR_THRESHOLDS = 2
/** Two sizes closer than this (a quarter of an octave) give a slope of noise alone. */
const LEAST_STEP = Math.LN2 / 4
/** Fits until the smallest size that counts does not change any more. */
const FITS = 5

/** Exponents that a sentence can name, and how far the bounds of an estimate may be from one. */
const NAMED = [0, 1, 2, 3]
const TOLERANCE = 0.5

/**
 * @typedef {{ bytes: number, ms: number }} Point one block: the size of its input and its time
 * @typedef {{ exponent: number, low: number, high: number, count: number, largest: Point }} Growth
 * the exponent of a power law with its bounds of 95%
 */

/**
 * How the time of a function grows with the size of its input, null if the blocks do not allow a claim.
 *
 * The median of all slopes between two points of log(ms) over log(bytes), with bounds from the distribution of
 * Kendall's tau (Sen, 1968): a block that waited for a CPU as well does not shift it.
 * @param {Point[]} points the oldest first @param {number} thresholdMs of a block
 * @returns {Growth | null}
 */
exports.growthOf = (points, thresholdMs) => {
  const all = points.filter(({ bytes, ms }) => bytes > 0 && ms > 0).slice(-MOST)
  let used = all
  for (let i = 0; i < FITS; i++) {
    const fit = fitOf(used)
    if (fit === null) return null
    const next = all.filter(({ bytes }) => fit.msOf(bytes) >= CLEAR_THRESHOLDS * thresholdMs)
    if (next.length === used.length) return claimOf(fit, used)
    used = next
  }
  return null
}

/** @param {Point[]} points */
function fitOf (points) {
  const sizes = ascending([...new Set(points.map(({ bytes }) => bytes))])
  if (sizes.length < LEAST_SIZES || sizes[sizes.length - 1] < LEAST_RANGE * sizes[0]) return null
  const logs = points.map(({ bytes, ms }) => ({ x: Math.log(bytes), y: Math.log(ms) }))
  const slopes = ascending(logs.flatMap((a, i) => logs.slice(i + 1).flatMap((b) => slopeOf(a, b) ?? [])))
  const exponent = /** @type {number} */ (median(slopes))
  const offset = /** @type {number} */ (median(logs.map(({ x, y }) => y - exponent * x)))
  const n = points.length
  const spread = Z * Math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
  const rankOf = (/** @type {number} */ rank) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))]
  return {
    exponent,
    low: rankOf((slopes.length - spread) / 2 - 1),
    high: rankOf((slopes.length + spread) / 2),
    msOf: (/** @type {number} */ bytes) => Math.exp(offset + exponent * Math.log(bytes))
  }
}

/** @typedef {{ x: number, y: number }} Log @param {Log} a @param {Log} b */
function slopeOf (a, b) {
  return Math.abs(a.x - b.x) < LEAST_STEP ? null : (b.y - a.y) / (b.x - a.x)
}

/** @param {NonNullable<ReturnType<typeof fitOf>>} fit @param {Point[]} points @returns {Growth | null} */
function claimOf ({ exponent, low, high }, points) {
  const named = NAMED.find((each) => low > each - TOLERANCE && high < each + TOLERANCE)
  if (named === undefined) return null
  const largest = points.reduce((a, b) => b.bytes > a.bytes ? b : a)
  return { exponent: named, low, high, count: points.length, largest }
}

/** @param {Growth} growth @param {string} input the word for it: body, message */
exports.growthText = ({ exponent, count, largest }, input) => {
  const text = {
    0: `the time does not depend on the size of the ${input}`,
    1: `time grows in proportion to the ${input}`,
    2: `time grows with the square of the ${input}`,
    3: `time grows with the cube of the ${input}`
  }[exponent]
  return `${count} blocks: ${text} (${duration(largest.ms)} at ${inBytes(largest.bytes)})`
}
