'use strict'

/** Readings must cover this share of a block in progress: in the rest, a call that does not answer may have slept. */
const SEEN_SHARE = 0.6

/** @typedef {{ atMs: number, cpuMs?: number | null }} OwnReading */

/** The CPU time in a block by the thread's own readings (beats, answers): the only one without the kernel's figures. */
class OwnCpu {
  /** @type {{ atMs: number, cpuMs: number } | null} */
  #first = null
  /** @type {{ atMs: number, cpuMs: number } | null} */
  #last = null

  /** @param {OwnReading} reading the last beat before the block, or an answer within it */
  add ({ atMs, cpuMs = null }) {
    if (cpuMs === null) return
    this.#first ??= { atMs, cpuMs }
    this.#last = { atMs, cpuMs }
  }

  /** The CPU ms within a block, if two readings show it. @param {number} startMs @param {number} durationMs so far */
  within (startMs, durationMs) {
    if (this.#first === null || this.#last === null) return null
    // Between the beat and the start of the block the loop waited, which takes no CPU time.
    const seenMs = this.#last.atMs - Math.max(this.#first.atMs, startMs)
    if (seenMs <= 0 || seenMs < SEEN_SHARE * durationMs) return null
    return Math.min(durationMs, (this.#last.cpuMs - this.#first.cpuMs) * Math.max(1, durationMs / seenMs))
  }
}

exports.OwnCpu = OwnCpu
