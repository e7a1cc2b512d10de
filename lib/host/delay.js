'use strict'

const { monitorEventLoopDelay } = require('node:perf_hooks')

/**
 * Node's own histogram of timer intervals. Handed to a worker thread it stays shared: counts grow
 * while this thread runs and can be read there while it is stuck. Its timer has the heartbeat's calm
 * period: the two then wake a sleeping process together, and each tick is a fair sample of delays.
 * @param {{ calmPeriod: number }} options ms
 */
exports.startDelayHistogram = ({ calmPeriod }) => {
  const histogram = monitorEventLoopDelay({ resolution: calmPeriod })
  histogram.enable()
  return { histogram, stop: () => { histogram.disable() } }
}
