'use strict'

const process = require('./process')
const { NS_PER_MS } = require('./units')

// Bound at load, so that fake timers installed later by a test suite do not stop the watch.
const performanceNow = performance.now.bind(performance)

const TRIES = 5

/**
 * What is between two clocks: a thread that is kept waiting between the two readings finds too little, and would
 * be that much behind the others for good.
 * @param {() => number} shared
 * @param {() => number} own read after it
 */
function between (shared, own) {
  let most = -Infinity
  for (let i = 0; i < TRIES; i++) most = Math.max(most, shared() - own())
  return most
}

/**
 * What turns this thread's `performance.now()` into the time all threads of the process share
 * (both are uv_hrtime; performance.now() starts at another zero on each thread).
 */
const originMs = between(() => Number(process.hrtime.bigint()) / NS_PER_MS, performanceNow)

/** Monotonic milliseconds, comparable between the threads of one process. */
exports.nowMs = () => originMs + performanceNow()

/**
 * A time of this thread's performance timeline as shared monotonic milliseconds.
 * @param {number} timelineMs `startTime` of a performance entry
 */
exports.fromTimelineMs = (timelineMs) => originMs + timelineMs

exports.between = between
