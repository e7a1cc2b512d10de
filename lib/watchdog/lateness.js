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
  #sinceMs = Infinity
  /** @type {number | null} */
  #ownCpuMs = null

  /**
   * A look begins.
   * @param {number} nowMs
   * @param {number | null} ownCpuMs the watchdog's CPU time so far, null where it is not known
   * @returns {boolean} whether it came late through no work of the watchdog's own
   */
  arrive (nowMs, ownCpuMs) {
    const late = this.#judge(this.#dueMs, nowMs, ownCpuMs)
    this.#sinceMs = nowMs
    this.#ownCpuMs = ownCpuMs
    return late
  }

  /**
   * A look ends; the process may have been stopped in the middle of it.
   * @param {number} nowMs
   * @param {number | null} ownCpuMs
   * @param {number} dueMs the next look
   */
  leave (nowMs, ownCpuMs, dueMs) {
    this.#judge(this.#sinceMs, nowMs, ownCpuMs)
    this.#dueMs = dueMs
    this.#ownCpuMs = ownCpuMs
  }

  /** @param {number} startMs @param {number} endMs @param {number | null} ownCpuMs */
  #judge (startMs, endMs, ownCpuMs) {
    const gapMs = endMs - startMs
    if (!(gapMs > LATE_MS)) return false
    if (ownCpuMs !== null && this.#ownCpuMs !== null && ownCpuMs - this.#ownCpuMs > gapMs / 2) return false
    this.#gaps.push({ startMs, endMs })
    if (this.#gaps.length > GAPS) this.#gaps.shift()
    return true
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
