'use strict'

const { monitorEventLoopDelay } = require('node:perf_hooks')

/**
 * Node's own histogram of timer intervals. Handed to a worker thread it stays shared: counts grow
 * while this thread runs and can be read there while it is stuck.
 * @param {{ resolution: number }} options ms
 */
exports.startDelayHistogram = ({ resolution }) => {
  const histogram = monitorEventLoopDelay({ resolution: Math.round(resolution) })
  histogram.enable()
  return { histogram, stop: () => { histogram.disable() } }
}
