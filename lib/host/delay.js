'use strict'

const { monitorEventLoopDelay } = require('node:perf_hooks')

/** Each tick wakes the process; half the heartbeat's rate is an equally fair sample of delays. */
const PERIODS = 2

/**
 * Node's own histogram of timer intervals. Handed to a worker thread it stays shared: counts grow
 * while this thread runs and can be read there while it is stuck.
 * @param {{ resolution: number }} options ms
 */
exports.startDelayHistogram = ({ resolution }) => {
  const periodMs = Math.round(resolution * PERIODS)
  const histogram = monitorEventLoopDelay({ resolution: periodMs })
  histogram.enable()
  return { histogram, periodMs, stop: () => { histogram.disable() } }
}
