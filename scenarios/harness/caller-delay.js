'use strict'

const { quantileOfBuckets } = require('./stats')

const BUCKET = /^loopwatch_eventloop_delay_seconds_bucket\{.*?le="([^"]+)".*\} (\S+)$/gm
const MS_PER_S = 1000

/** @typedef {[boundMs: number, cumulative: number][]} Buckets */

/**
 * The agent's histogram of loop delays, in a cluster of all workers together.
 * @param {string} exposition
 * @returns {Buckets}
 */
exports.delayBuckets = (exposition) => {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const [, le, count] of exposition.matchAll(BUCKET)) {
    const bound = le === '+Inf' ? Infinity : Number(le) * MS_PER_S
    counts.set(bound, (counts.get(bound) ?? 0) + Number(count))
  }
  return [...counts]
}

/** What came in between. @param {Buckets} after @param {Buckets} before */
exports.subtract = (after, before) => after.map(([bound, count], i) => /** @type {[number, number]} */ ([bound, count - (before[i]?.[1] ?? 0)]))

/** @param {Buckets[]} all */
const addUp = (all) => all.reduce((sum, each) => each.map(([bound, count], i) => /** @type {[number, number]} */ ([bound, count + (sum[i]?.[1] ?? 0)])), [])

/**
 * The calling thread over all runs of a cell. Blocks are exact; what stayed below the threshold is
 * known to its bucket.
 * @param {{ buckets: Buckets, blocksMs: number[] }[]} runs
 */
exports.describeCaller = (runs) => {
  const buckets = addUp(runs.map((run) => run.buckets))
  const blocksMs = runs.flatMap((run) => run.blocksMs)
  const maxMs = blocksMs.length > 0 ? Math.max(...blocksMs) : quantileOfBuckets(buckets, 1)
  // Where a bucket is wide, its part below the longest block is all there can have been.
  const delayMs = (/** @type {number} */ q) => Math.round(Math.min(quantileOfBuckets(buckets, q), maxMs) * 100) / 100
  return { delayP50Ms: delayMs(0.5), delayP99Ms: delayMs(0.99), delayMaxMs: Math.round(maxMs * 100) / 100, blocks: blocksMs.length }
}

exports.addUp = addUp
