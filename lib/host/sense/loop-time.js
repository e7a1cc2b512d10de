'use strict'

const perfHooks = require('node:perf_hooks')
const { fromTimelineMs, nowMs } = require('../../util/clock')
const { warnOnce } = require('../warn-once')

/** Counters behind performance.eventLoopUtilization(), which fake timers replace. */
const nodeTiming = findNodeTiming()

function findNodeTiming () {
  try {
    const { nodeTiming } = perfHooks.performance
    return Number.isFinite(nodeTiming.idleTime) && Number.isFinite(nodeTiming.loopStart) ? nodeTiming : null
  } catch {
    return null
  }
}

/** When this thread's loop began to turn; NaN before that. */
let loopStartMs = NaN

/**
 * Idle time that libuv has not counted. libuv counts a wait for events only up to the first signal, and V8 samples by
 * signals: an idle loop that is sampled every 20 ms looks 26 to 29% active (20.20 to 26.10).
 */
let lostMs = 0

/** Time that this thread's loop has waited for events so far, and time that it has not, ms. */
exports.loopTime = () => {
  if (nodeTiming === null) return alwaysBusy()
  if (Number.isNaN(loopStartMs) && nodeTiming.loopStart > 0) loopStartMs = fromTimelineMs(nodeTiming.loopStart)
  const idle = nodeTiming.idleTime + lostMs
  return { idle, active: Number.isNaN(loopStartMs) ? 0 : nowMs() - loopStartMs - idle }
}

/** Without counters, blocks still show by how late beats come. */
function alwaysBusy () {
  const reason = '`performance` of node:perf_hooks has been replaced'
  warnOnce('LOOPWATCH_WARN_GLOBALS',
    `loopwatch reports a utilization of 1, because ${reason}`, 'utilization')
  return { idle: 0, active: nowMs() }
}

/** @param {number} ms */
exports.addLostIdle = (ms) => { lostMs += ms }

/** Turns of the loop so far; 0 before Node.js 20.18 and 22.8, which do not count them. */
exports.loopTurns = () => /** @type {any} */ (nodeTiming)?.uvMetricsInfo?.loopCount ?? 0
