'use strict'

const { quantileOfBuckets } = require('./stats')

const BUCKET = /^loopwatch_eventloop_delay_seconds_bucket\{(.*?)le="([^"]+)"(.*)\} (\S+)$/gm
const MS_PER_S = 1000

/** @typedef {[boundMs: number, cumulative: number][]} Buckets */

/**
 * The agent's histogram of loop delays, in a cluster that of each worker.
 * @param {string} exposition
 * @returns {Map<string, Buckets>} by the other labels
 */
exports.delayBuckets = (exposition) => {
  /** @type {Map<string, Buckets>} */
  const workers = new Map()
  for (const [, before, le, behind, count] of exposition.matchAll(BUCKET)) {
    const buckets = workers.get(before + behind) ?? []
    workers.set(before + behind, buckets)
    buckets.push([le === '+Inf' ? Infinity : Number(le) * MS_PER_S, Number(count)])
  }
  return workers
}

/** @param {Buckets[]} all */
const addUp = (all) =>
  all.reduce(
    (sum, each) =>
      each.map(([bound, count], i) => /** @type {[number, number]} */ ([bound, count + (sum[i]?.[1] ?? 0)])),
    []
  )

/**
 * The growth in between, of all workers together. A worker that has ended since is in neither reading, so its past is
 * not subtracted from the rest.
 * @param {Map<string, Buckets>} after @param {Map<string, Buckets>} [before]
 */
exports.subtract = (after, before) => addUp([...after].map(([worker, buckets]) => {
  const past = before?.get(worker)
  return buckets.map(([bound, count], i) => /** @type {[number, number]} */ ([bound, count - (past?.[i]?.[1] ?? 0)]))
}))

/**
 * The calling thread over all runs of a cell. Blocks are exact; what stayed below the threshold is
 * known to its bucket.
 * @param {{ buckets: Buckets, blocksMs: number[] }[]} runs
 */
exports.describeCaller = (runs) => {
  const buckets = addUp(runs.map((run) => run.buckets))
  const blocksMs = runs.flatMap((run) => run.blocksMs)
  const maxMs = blocksMs.length > 0 ? Math.max(...blocksMs) : quantileOfBuckets(buckets, 1)
  // In a wide bucket, only the part below the longest block is possible.
  const delayMs = (/** @type {number} */ q) => Math.round(Math.min(quantileOfBuckets(buckets, q), maxMs) * 100) / 100
  return {
    delayP50Ms: delayMs(0.5),
    delayP99Ms: delayMs(0.99),
    delayMaxMs: Math.round(maxMs * 100) / 100,
    blocks: blocksMs.length
  }
}

exports.addUp = addUp
