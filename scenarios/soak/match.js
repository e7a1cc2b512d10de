'use strict'

/**
 * A block as it was made.
 * @typedef {object} Truth
 * @property {string} kind function that blocked
 * @property {number} startedAt wall clock, ms
 * @property {number} ms
 *
 * @typedef {import('../../lib/types').BlockRecord} BlockRecord
 * @typedef {{ truth: Truth, record: BlockRecord }} Pair
 */

/** How much of a made block a record covers, ms. @param {Truth} truth @param {BlockRecord} record */
function overlapMs ({ startedAt, ms }, record) {
  const recordedAt = Date.parse(record.startedAt)
  return Math.min(startedAt + ms, recordedAt + record.durationMs) - Math.max(startedAt, recordedAt)
}

/**
 * Which record tells which block. Each record tells one, and covers at least half of it.
 * @param {Truth[]} truths
 * @param {BlockRecord[]} records of one thread
 */
exports.match = (truths, records) => {
  const free = new Set(records)
  /** @type {Pair[]} */
  const pairs = []
  /** @type {Truth[]} */
  const missed = []
  for (const truth of truths) {
    let best = /** @type {BlockRecord | null} */ (null)
    for (const record of free) {
      if (
        overlapMs(truth, record) >= truth.ms / 2 &&
        (best === null || overlapMs(truth, record) > overlapMs(truth, best))
      ) { best = record }
    }
    if (best === null) {
      missed.push(truth)
      continue
    }
    free.delete(best)
    pairs.push({ truth, record: best })
  }
  return { pairs, missed, others: [...free] }
}
