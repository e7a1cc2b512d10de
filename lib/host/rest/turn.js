'use strict'

const { lookMs } = require('../../bridge/beat')

/** CPU time that covers so much of what the watchdog saw of a turn is all of it: the turn did not sleep. */
const ALL = 0.8

/**
 * @typedef {object} Gap the time since the last beat of a loop that rests: it has idled, and then run at most one turn
 * @property {number} gapMs
 * @property {number} idleMs of it, as libuv counts
 * @property {number} heldMs of it, in which we kept the thread ourselves
 * @property {number | null} ranMs for how long the thread has run, or waited for a CPU, since it was last seen asleep,
 * or since the beat; null where libuv's count of idle time holds
 * @property {number} sleptAgoMs how long ago the watchdog last saw the thread waiting for events
 * @property {number} activeAgoMs how long ago it first saw the thread at something else since then; more than
 * `sleptAgoMs`: it has not
 * @property {number} thresholdMs
 *
 * @typedef {object} Turn
 * @property {number} busyMs it took
 * @property {number} doubtMs so much of `busyMs` may have been idle time, or idle time this turn
 */

/**
 * How long the turn took that ends a rest. While V8 samples the thread by signals, libuv loses most of the idle time.
 * What the thread has run since it was last seen asleep is then the turn, unless it slept in it: of that the watchdog's
 * looks tell.
 * @param {Gap} gap
 * @returns {Turn}
 */
exports.turnOf = ({ gapMs, idleMs, heldMs, ranMs, sleptAgoMs, activeAgoMs, thresholdMs }) => {
  const sinceMs = Math.min(gapMs, sleptAgoMs)
  const mostMs = Math.max(0, Math.min(gapMs - idleMs, ranMs === null ? Infinity : sinceMs) - heldMs)
  if (ranMs === null) return { busyMs: mostMs, doubtMs: 0 }
  const seenMs = activeAgoMs < sinceMs ? Math.min(mostMs, Math.max(0, activeAgoMs - heldMs)) : 0
  const workMs = Math.min(mostMs, Math.max(0, ranMs - heldMs))
  if (workMs >= seenMs * ALL) return { busyMs: Math.max(workMs, seenMs), doubtMs: 0 }
  const endMs = Math.min(mostMs, seenMs + lookMs(thresholdMs))
  return { busyMs: (seenMs + endMs) / 2, doubtMs: (endMs - seenMs) / 2 }
}
