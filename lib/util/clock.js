'use strict'

const process = require('./process')
const { MS_PER_S, NS_PER_MS } = require('./units')

// Fake timers that a test suite installs later must not stop the clock, so everything is bound at load. Those installed
// before have replaced methods of `performance` and `process`; the prototype still has the real ones.
const { performance } = /** @type {{ performance: { now: () => number } }} */ (globalThis)
const { hrtime, uptime } = process

/** Readings, of a millisecond in all, within which a real clock advances; a fake one does not. */
const READINGS = 10_000
/** Start of a timeline other than hrtime's, early enough for code that asks about times before the start. */
const DAY_MS = 86_400 * MS_PER_S

/** @param {() => number} clock */
function runs (clock) {
  try {
    const first = clock()
    for (let i = 0; i < READINGS; i++) if (clock() > first) return Number.isFinite(first)
    return false
  } catch {
    return false
  }
}

/** @param {(() => number)[]} clocks in ms, the first that runs is used */
function firstThatRuns (clocks) {
  const clock = clocks.find(runs)
  if (clock === undefined) throw new Error('every clock of this process has been replaced')
  return clock
}

/** @param {'own' | 'inherited'} from the object, or its prototype */
function performanceClock (from) {
  try {
    const { now } = from === 'own' ? performance : Object.getPrototypeOf(performance)
    return now.bind(performance)
  } catch {
    return () => NaN
  }
}

const hrtimeMs = typeof hrtime?.bigint === 'function' ? () => Number(hrtime.bigint()) / NS_PER_MS : () => NaN
/** hrtime since the process began: as exact, the same in every thread, and not replaced by fake timers. */
const uptimeMs = () => uptime() * MS_PER_S

const performanceNow = firstThatRuns([performanceClock('inherited'), performanceClock('own'), uptimeMs])
/** The time that all threads of the process share (hrtime and performance.now() are both uv_hrtime). */
const sharedMs = firstThatRuns([hrtimeMs, () => DAY_MS + uptimeMs()])

/**
 * The offset between two clocks, the largest of five. It is too small if the thread waits between two readings.
 * @param {() => number} shared @param {() => number} own read after it
 */
function between (shared, own) {
  let most = -Infinity
  for (let i = 0; i < 5; i++) most = Math.max(most, shared() - own())
  return most
}

/** The zero of this thread's `performance.now()` in the time that all threads share. */
let originMs = between(sharedMs, performanceNow)

/** Monotonic milliseconds, comparable between the threads of one process. */
exports.nowMs = () => originMs + performanceNow()

/** In shared monotonic ms. @param {number} timelineMs `startTime` of a performance entry of this thread */
exports.fromTimelineMs = (timelineMs) => originMs + timelineMs

/** Begin of this thread's time, for a thread that we start; null = hrtime's. @returns {number | null} */
exports.ownEpochMs = () => sharedMs === hrtimeMs ? null : DAY_MS

/** Adopts the time of the thread that started this one. @param {number | null | undefined} epochMs */
exports.followEpoch = (epochMs) => {
  if (typeof epochMs === 'number') originMs = between(() => epochMs + uptimeMs(), performanceNow)
}

exports.between = between
