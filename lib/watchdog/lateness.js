'use strict'

/** Later than this the watchdog counts as not having run; below it, it is the timer's slack. */
const LATE_MS = 5
const GAPS = 256

/**
 * The watchdog's own lateness: the intervals in which it should have run and did not. What stopped
 * the watchdog too was no fault of the host's code.
 */
class Lateness {
  /** @type {{ startMs: number, endMs: number }[]} */
  #gaps = []
  #dueMs = Infinity

  /** The next look is due then. @param {number} dueMs */
  expect (dueMs) {
    this.#dueMs = dueMs
  }

  /** A look happens now. @param {number} nowMs @returns {boolean} whether it came late */
  arrive (nowMs) {
    const late = nowMs - this.#dueMs > LATE_MS
    if (late) {
      this.#gaps.push({ startMs: this.#dueMs, endMs: nowMs })
      if (this.#gaps.length > GAPS) this.#gaps.shift()
    }
    return late
  }

  /** How long of an interval the watchdog did not run. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#gaps, startMs, endMs)
  }
}

/**
 * @param {{ startMs: number, endMs: number }[]} intervals that do not overlap each other
 * @param {number} startMs
 * @param {number} endMs
 */
function overlapMs (intervals, startMs, endMs) {
  return intervals.reduce((total, interval) =>
    total + Math.max(0, Math.min(interval.endMs, endMs) - Math.max(interval.startMs, startMs)), 0)
}

exports.Lateness = Lateness
exports.overlapMs = overlapMs
