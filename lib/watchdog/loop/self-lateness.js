'use strict'

/** A watchdog later than this has not run; less is the timer's slack. */
const LATE_MS = 5
/** So many intervals are kept, the latest ones. */
const GAPS = 256
/** The watchdog's CPU time is read again after this long: reading it at each poll costs as much as the poll. */
const FRESH_MS = 250

/**
 * The watchdog's own lateness: the intervals in which it should have run and did not. Whatever stopped the watchdog
 * too was no fault of the host's code.
 */
class SelfLateness {
  /** @type {{ startMs: number, endMs: number }[]} */
  #gaps = []
  #dueMs = Infinity
  #sinceMs = Infinity
  #ownCpuMs
  /** @type {number | null} as it was read last */
  #knownCpuMs = null
  #knownAtMs = -Infinity

  /** @param {() => number | null} ownCpuMs the watchdog's CPU time so far, null where it is not known */
  constructor (ownCpuMs) {
    this.#ownCpuMs = ownCpuMs
  }

  /**
   * A poll begins.
   * @param {number} nowMs
   * @returns {boolean} whether it came late through no work of the watchdog's own
   */
  arrive (nowMs) {
    const late = this.#judge(this.#dueMs, nowMs)
    this.#sinceMs = nowMs
    return late
  }

  /**
   * A poll ends; the process may have been stopped in the middle of it.
   * @param {number} nowMs
   * @param {number} dueMs the next poll
   */
  leave (nowMs, dueMs) {
    this.#judge(this.#sinceMs, nowMs)
    this.#dueMs = dueMs
    if (nowMs - this.#knownAtMs >= FRESH_MS) this.#spentMs(nowMs)
  }

  /** CPU time since it was read last, null where it is not known. @param {number} nowMs */
  #spentMs (nowMs) {
    const before = this.#knownCpuMs
    this.#knownCpuMs = this.#ownCpuMs()
    this.#knownAtMs = nowMs
    return before === null || this.#knownCpuMs === null ? null : this.#knownCpuMs - before
  }

  /** @param {number} startMs @param {number} endMs */
  #judge (startMs, endMs) {
    const gapMs = endMs - startMs
    if (!(gapMs > LATE_MS)) return false
    const spentMs = this.#spentMs(endMs)
    if (spentMs !== null && spentMs > gapMs / 2) return false
    this.#gaps.push({ startMs, endMs })
    if (this.#gaps.length > GAPS) this.#gaps.shift()
    return true
  }

  /** For how long of an interval the watchdog did not run. @param {number} startMs @param {number} endMs */
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

exports.SelfLateness = SelfLateness
exports.overlapMs = overlapMs
