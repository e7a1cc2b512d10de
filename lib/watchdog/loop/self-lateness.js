'use strict'

const process = require('../../util/process')
const { US_PER_MS } = require('../../util/units')

/** A watchdog that is later than this did not run; less is the timer's slack. */
const LATE_MS = 5
const GAPS = 256
/** A process that ran, or waited for a CPU, for this share of the watchdog's absence was not stopped. */
const SOME = 0.2
/** The watchdog's own times are read again after this long: reading it at each poll costs as much as the poll. */
const FRESH_MS = 250

/** @typedef {{ cpuMs: number | null, runQueueMs: number | null }} OwnTimes null if unknown */

/**
 * The intervals in which the watchdog should have run but did not, though it waited for no CPU and no thread of the
 * process ran: something stopped the process.
 */
class SelfLateness {
  /** @type {{ startMs: number, endMs: number }[]} */
  #gaps = []
  #dueMs = Infinity
  #sinceMs = Infinity
  #readOwn
  /** The watchdog's own times at the last reading. @type {OwnTimes} */
  #own = { cpuMs: null, runQueueMs: null }
  #readAtMs = -Infinity
  #longestTurnMs = 0
  #readProcess
  /** The CPU time of the process, with the main thread's waits for one, at the end of the last poll. */
  #process = { atMs: 0, cpuMs: 0 }

  /**
   * @param {() => OwnTimes} readOwn the watchdog's times so far
   * @param {() => number} readQueued how long the main thread has waited for a CPU so far: a stopped one does not
   * @param {() => number} [readCpu] CPU time of the whole process so far, 1 to 3 us
   */
  constructor (readOwn, readQueued, readCpu = processCpuMs) {
    this.#readOwn = readOwn
    this.#readProcess = () => readCpu() + readQueued()
  }

  /** A poll begins. Returns whether it is late through no work of the watchdog's own. @param {number} nowMs */
  arrive (nowMs) {
    const late = this.#judge(this.#dueMs, nowMs)
    this.#sinceMs = nowMs
    return late
  }

  /** A poll ends; the process may have been stopped in it. @param {number} nowMs @param {number} dueMs the next one */
  leave (nowMs, dueMs) {
    this.#judge(this.#sinceMs, nowMs)
    this.#dueMs = dueMs
    this.#process = { atMs: nowMs, cpuMs: this.#readProcess() }
    if (nowMs - this.#readAtMs >= FRESH_MS) this.#spent(nowMs)
  }

  /** The watchdog's own times since the last reading, 0 if unknown. @param {number} nowMs */
  #spent (nowMs) {
    const before = this.#own
    const { cpuMs, runQueueMs } = this.#own = { ...this.#readOwn() }
    this.#readAtMs = nowMs
    return {
      cpuMs: (cpuMs ?? 0) - (before.cpuMs ?? cpuMs ?? 0),
      runQueueMs: (runQueueMs ?? 0) - (before.runQueueMs ?? runQueueMs ?? 0)
    }
  }

  /** The longest turn of the watchdog's own loop since the last call, ms. */
  takeLongestTurn () {
    const longestMs = this.#longestTurnMs
    this.#longestTurnMs = 0
    return longestMs
  }

  /** @param {number} startMs @param {number} endMs */
  #judge (startMs, endMs) {
    const gapMs = endMs - startMs
    if (!(gapMs > LATE_MS)) return false
    const { cpuMs, runQueueMs } = this.#spent(endMs)
    if (cpuMs > gapMs / 2) {
      this.#longestTurnMs = Math.max(this.#longestTurnMs, gapMs)
      return false
    }
    const last = this.#process
    // As if the process had run, or could have, all of the time from the last reading to the gap.
    const ranMs = this.#readProcess() - last.cpuMs - Math.max(0, startMs - last.atMs)
    if (Math.max(runQueueMs, ranMs) >= SOME * gapMs) return true
    this.#gaps.push({ startMs, endMs })
    if (this.#gaps.length > GAPS) this.#gaps.shift()
    return true
  }

  /** For how many ms of an interval the process seemed to be stopped. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#gaps, startMs, endMs)
  }
}

function processCpuMs () {
  const { user, system } = process.cpuUsage()
  return (user + system) / US_PER_MS
}

/** @typedef {{ startMs: number, endMs: number }} Interval */

/**
 * The parts of some intervals that lie in others, all of which are disjoint.
 * @param {Interval[]} some @param {Interval[]} others
 */
function intersected (some, others) {
  return others.flatMap(({ startMs, endMs }) => some
    .filter((each) => each.startMs < endMs && each.endMs > startMs)
    .map((each) => ({ startMs: Math.max(each.startMs, startMs), endMs: Math.min(each.endMs, endMs) })))
}

/** @param {Interval[]} intervals disjoint @param {number} startMs @param {number} endMs */
function overlapMs (intervals, startMs, endMs) {
  return intersected(intervals, [{ startMs, endMs }])
    .reduce((total, interval) => total + interval.endMs - interval.startMs, 0)
}

exports.SelfLateness = SelfLateness
exports.intersected = intersected
exports.overlapMs = overlapMs
