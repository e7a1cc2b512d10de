'use strict'

// How long a run must take at least, and may take at most: pure arithmetic.

/** A hook that burns wall time cannot end sooner; a caller's clock may begin as much later. */
const CLOCK_MS = 0.1
/** Longest run over the least one, if every worker has a core. */
const MOST_OVER_LEAST = 1.02
/** The length of id to which that applies: with longer ones their copies count. */
const SHORT_ID = 30

/** @typedef {{ consumeMs: number, count: number, idLength: number, workers: number, uneven?: number }} Params */

/** One hook in so many is a slow one where hooks are uneven. */
const ONE_IN = 10
/** Whether the hook of this id takes longer: ids end in the number of their call. @param {string} id */
exports.isSlow = (id) => id.endsWith('0')

/** Time of all hooks together, ms. @param {Params} params */
exports.consumedMs = ({ consumeMs, count, uneven = 1 }) =>
  consumeMs * (count + Math.ceil(count / ONE_IN) * (uneven - 1))

/**
 * The least that a run can take: the share of the busiest of so many threads, and no less than its longest hook.
 * @param {Params} params
 * @param {number} [cores] no more threads than these get on; Infinity where hooks burn wall time
 */
exports.leastMs = (params, cores = Infinity) => {
  const { consumeMs, count, workers, uneven = 1 } = params
  if (consumeMs === 0 || count === 0) return 0
  const share = Math.ceil(exports.consumedMs(params) / consumeMs / Math.min(cores, Math.max(1, workers)))
  return Math.max(share, uneven) * consumeMs
}

/** @param {number} tookMs @param {Params} params of hooks that burn wall time */
exports.isPossible = (tookMs, params) => tookMs >= exports.leastMs(params) - CLOCK_MS

/** Whether calling may add next to nothing. @param {string} variant @param {Params} params @param {number} cores */
exports.hasCeiling = (variant, { consumeMs, idLength, workers }, cores) =>
  variant === 'direct' && consumeMs >= 1 && idLength === SHORT_ID && workers <= cores

/**
 * A machine that does something else makes a run longer, never shorter: the fastest of several is the one that
 * it disturbed least, and what its threads had to wait for a core is not the calls'.
 * @param {{ tookMs: number, waitedMs: number }[]} runs waitedMs: by the kernel, of the thread that waited longest
 * @param {Params} params of hooks that burn wall time
 */
exports.isBelowCeiling = (runs, params) =>
  runs.some(({ tookMs, waitedMs }) => tookMs - waitedMs <= exports.leastMs(params) * MOST_OVER_LEAST)
