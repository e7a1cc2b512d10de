'use strict'

const { inBytes } = require('./memory-text')
const { ascending, median } = require('./statistics')
const { duration } = require('./units')

/** @import { BlockRecord } from '../types' */

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

/** Distance of the bounds of an estimate from the exponent that a sentence names. */
const TOLERANCE = 0.5

/**
 * @typedef {{ bytes: number, name: 'body' | 'size', thresholdMs?: number }} Input of a block
 * @typedef {Pick<BlockRecord, 'work' | 'request' | 'works' | 'durationMs' | 'thresholdMs'>} Sized
 * @typedef {{ bytes: number, ms: number, name?: Input['name'] }} Point one block: the size of its input and its time
 * @typedef {{ x: number, y: number }} Log of a point
 * @typedef {{ exponent: number, low: number, high: number, count: number, largest: Point }} Growth
 * the exponent of a power law with its bounds of 95%
 */

/**
 * The input of a block: the size of its work that the application gave, else the body of its request. Null if several
 * pieces of work or none had the time, or it is in doubt which one.
 * @param {Sized & { evidence?: { requests: number } }} record @returns {Input | null}
 */
exports.inputOf = ({ work, request, works, thresholdMs, evidence = { requests: 1 } }) => {
  if (works || evidence.requests > 1 || (work ?? request)?.exact === false) return null
  const size = work?.attributes?.size
  if (typeof size === 'number') return { bytes: size, name: 'size', thresholdMs }
  return request?.bytesIn ? { bytes: request.bytesIn, name: 'body', thresholdMs } : null
}

/**
 * How the time of a function grows in words, empty if its blocks do not allow a claim.
 * @param {(Sized & { input?: Input })[]} shares of the function in its blocks, the oldest first, each as long as the
 * function took; `input` as inputOf() returns it, if the rest is missing
 */
exports.growthIn = (shares) => {
  const points = shares.flatMap((share) => {
    const input = share.input ?? exports.inputOf(share)
    return input ? { ...input, ms: share.durationMs } : []
  })
  const { name, thresholdMs = NaN } = points[points.length - 1] ?? {}
  const growth = exports.growthOf(points.filter((each) => each.name === name), thresholdMs)
  return growth === null ? '' : growthText(growth)
}

/**
 * How the time of a function grows with the size of its input, null if the blocks do not allow a claim.
 *
 * The median of all slopes between two points of log(ms) over log(bytes), with bounds from the distribution of
 * Kendall's tau (Sen, 1968): a block that waited for a CPU as well does not shift it.
 * @param {Point[]} points the oldest first @param {number} thresholdMs of a block
 * @returns {Growth | null}
 */
exports.growthOf = (points, thresholdMs) => {
  let used = points.filter(({ bytes, ms }) => bytes > 0 && ms > 0).slice(-MOST)
  for (;;) {
    const fit = fitOf(used)
    if (fit === null) return null
    const clear = used.filter(({ bytes }) => fit.msOf(bytes) >= CLEAR_THRESHOLDS * thresholdMs)
    if (clear.length === used.length) return claimOf(fit, used)
    used = clear
  }
}

/** @param {Point[]} points */
function fitOf (points) {
  const sizes = ascending([...new Set(points.map(({ bytes }) => bytes))])
  if (sizes.length < LEAST_SIZES || sizes[sizes.length - 1] < LEAST_RANGE * sizes[0]) return null
  const logs = points.map(({ bytes, ms }) => ({ x: Math.log(bytes), y: Math.log(ms) }))
  const slopes = slopesOf(logs)
  const exponent = slopes[slopes.length >> 1]
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

/** All slopes between two points, ascending. A page with many functions needs them in a few ms. @param {Log[]} logs */
function slopesOf (logs) {
  const slopes = new Float64Array(logs.length * (logs.length - 1) / 2)
  let count = 0
  for (let i = 0; i < logs.length; i++) {
    for (let j = 0; j < i; j++) {
      const step = logs[j].x - logs[i].x
      if (Math.abs(step) >= LEAST_STEP) slopes[count++] = (logs[j].y - logs[i].y) / step
    }
  }
  return slopes.subarray(0, count).sort()
}

/** @param {NonNullable<ReturnType<typeof fitOf>>} fit @param {Point[]} points @returns {Growth | null} */
function claimOf ({ exponent, low, high }, points) {
  const named = Math.round((low + high) / 2)
  if (!(named in WORDS) || low <= named - TOLERANCE || high >= named + TOLERANCE) return null
  const largest = points.reduce((a, b) => b.bytes > a.bytes ? b : a)
  return { exponent: named, low, high, count: points.length, largest }
}

/** Words for each exponent. */
const WORDS = ['does not depend on', 'grows in proportion to', 'grows with the square of', 'grows with the cube of']

/** @param {Growth} growth */
function growthText ({ exponent, count, largest }) {
  const { bytes, ms, name } = largest
  return `${count} blocks: time ${WORDS[exponent]} the ${name} (${duration(ms)} at ${inBytes(bytes)})`
}
