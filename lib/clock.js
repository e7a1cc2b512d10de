'use strict'

// Bound at load, so that fake timers installed later by a test suite do not stop the watch.
const performanceNow = performance.now.bind(performance)

const NS_PER_MS = 1e6

/**
 * What turns this thread's `performance.now()` into the time all threads of the process share
 * (both are uv_hrtime; performance.now() starts at another zero on each thread).
 */
const originMs = Number(process.hrtime.bigint()) / NS_PER_MS - performanceNow()

/** Monotonic milliseconds, comparable between the threads of one process. */
exports.nowMs = () => originMs + performanceNow()

/**
 * A time of this thread's performance timeline as shared monotonic milliseconds.
 * @param {number} timelineMs `startTime` of a performance entry
 */
exports.fromTimelineMs = (timelineMs) => originMs + timelineMs
