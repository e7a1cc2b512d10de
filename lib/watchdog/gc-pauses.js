'use strict'

const { overlapMs } = require('./lateness')

/** Enough for the longest batch that one block delivers; older pauses belong to blocks long closed. */
const PAUSES = 4096

/** The latest pauses of the host's garbage collector, to be laid over a block. */
class GcPauses {
  /** @type {{ startMs: number, endMs: number }[]} */
  #pauses = []

  /** @param {number} startMs @param {number} durationMs */
  add (startMs, durationMs) {
    this.#pauses.push({ startMs, endMs: startMs + durationMs })
    if (this.#pauses.length > 2 * PAUSES) this.#pauses = this.#pauses.slice(-PAUSES)
  }

  /** @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#pauses, startMs, endMs)
  }
}

exports.GcPauses = GcPauses
