'use strict'

/**
 * The least share of a block in progress that the readings must cover. In the rest, a call that does not answer may
 * have slept.
 */
const SEEN_SHARE = 0.6

/** @typedef {{ atMs: number, cpuMs?: number | null }} OwnReading */

/**
 * The CPU time of a thread in one block by its own readings, at its beats and in its answers. Where the kernel tells
 * nothing of the thread, it is all there is.
 */
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

  /**
   * The CPU time within a block, as far as two readings say.
   * @param {number} startMs
   * @param {number} durationMs so far
   * @returns {number | null}
   */
  within (startMs, durationMs) {
    if (this.#first === null || this.#last === null) return null
    // Between the beat and the start of the block the loop waited, which takes none.
    const seenMs = this.#last.atMs - Math.max(this.#first.atMs, startMs)
    if (seenMs <= 0 || seenMs < SEEN_SHARE * durationMs) return null
    return Math.min(durationMs, (this.#last.cpuMs - this.#first.cpuMs) * Math.max(1, durationMs / seenMs))
  }
}

exports.OwnCpu = OwnCpu
