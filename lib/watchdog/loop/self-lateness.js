'use strict'

/** A watchdog that is later than this did not run; less is the timer's slack. */
const LATE_MS = 5
const GAPS = 256
/** The watchdog's CPU time is read again after this long: reading it at each poll costs as much as the poll. */
const FRESH_MS = 250

/** The intervals in which the watchdog should have run but did not: something other than the host's code stopped it. */
class SelfLateness {
  /** @type {{ startMs: number, endMs: number }[]} */
  #gaps = []
  #dueMs = Infinity
  #sinceMs = Infinity
  #ownCpuMs
  /** @type {number | null} at the last reading */
  #knownCpuMs = null
  #knownAtMs = -Infinity

  /** @param {() => number | null} ownCpuMs the watchdog's CPU time so far, null if unknown */
  constructor (ownCpuMs) {
    this.#ownCpuMs = ownCpuMs
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
    if (nowMs - this.#knownAtMs >= FRESH_MS) this.#spentMs(nowMs)
  }

  /** CPU time since the last reading, null if unknown. @param {number} nowMs */
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

  /** How many ms of an interval the watchdog did not run. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#gaps, startMs, endMs)
  }
}

/** @param {{ startMs: number, endMs: number }[]} intervals disjoint @param {number} startMs @param {number} endMs */
function overlapMs (intervals, startMs, endMs) {
  return intervals.reduce((total, interval) =>
    total + Math.max(0, Math.min(interval.endMs, endMs) - Math.max(interval.startMs, startMs)), 0)
}

exports.SelfLateness = SelfLateness
exports.overlapMs = overlapMs
