'use strict'

const process = require('./process')
const { MS_PER_S, NS_PER_MS } = require('./units')

// All is bound at load, so that fake timers installed later by a test suite do not stop the watch. Those installed
// before put methods of their own on `performance` and `process`. The prototype still has the real ones.
const { performance } = /** @type {{ performance: { now: () => number } }} */ (globalThis)
const { hrtime, uptime } = process

const TRIES = 5
/** Two readings of a real clock differ; a fake one is still the same after as many, which take a millisecond. */
const READINGS = 10_000
/** Where a timeline begins that is not that of hrtime: long enough ago for all that asks what was before the start. */
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

/**
 * The first of some clocks that runs.
 * @param {(() => number)[]} clocks
 * @returns {() => number} ms
 */
function firstThatRuns (clocks) {
  const clock = clocks.find(runs)
  if (clock === undefined) throw new Error('every clock of this process has been replaced')
  return clock
}

/** @param {'own' | 'inherited'} from where the method is taken from: the object, or its prototype */
function performanceClock (from) {
  try {
    const { now } = from === 'own' ? performance : Object.getPrototypeOf(performance)
    return now.bind(performance)
  } catch {
    return () => NaN
  }
}

const hrtimeMs = typeof hrtime?.bigint === 'function' ? () => Number(hrtime.bigint()) / NS_PER_MS : () => NaN
/** As exact, in every thread the same, and left alone by fake timers: hrtime since the process began. */
const uptimeMs = () => uptime() * MS_PER_S

const performanceNow = firstThatRuns([performanceClock('inherited'), performanceClock('own'), uptimeMs])
/** What all threads of the process share (hrtime and performance.now() are both uv_hrtime). */
const sharedMs = firstThatRuns([hrtimeMs, () => DAY_MS + uptimeMs()])

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
 * What turns this thread's `performance.now()`, which starts at another zero on each thread, into the time all threads
 * share.
 */
let originMs = between(sharedMs, performanceNow)

/** Monotonic milliseconds, comparable between the threads of one process. */
exports.nowMs = () => originMs + performanceNow()

/**
 * A time of this thread's performance timeline as shared monotonic milliseconds.
 * @param {number} timelineMs `startTime` of a performance entry
 */
exports.fromTimelineMs = (timelineMs) => originMs + timelineMs

/** For a thread that is started: when the time of this one began, if that is not hrtime's. @returns {number | null} */
exports.ownEpochMs = () => sharedMs === hrtimeMs ? null : DAY_MS

/** The time of this thread becomes that of the one that has started it. @param {number | null | undefined} epochMs */
exports.followEpoch = (epochMs) => {
  if (typeof epochMs === 'number') originMs = between(() => epochMs + uptimeMs(), performanceNow)
}

exports.between = between
