'use strict'

const { GC_KINDS } = require('../../bridge/memory')
const { overlapMs } = require('./self-lateness')

/** Enough for the longest batch that one block delivers; older pauses belong to blocks long closed. */
const PAUSES = 4096

/** The latest pauses of the host's garbage collector, to be laid over a block. */
class GcPauses {
  /** @type {{ startMs: number, endMs: number }[]} */
  #pauses = []
  #ring
  #metrics

  /** @param {import('../../bridge/ring').Ring} ring @param {Pick<import('../../export/prometheus/metrics').Metrics, 'observeGc'>} metrics */
  constructor (ring, metrics) {
    this.#ring = ring
    this.#metrics = metrics
  }

  /** Takes what the host has told since the last call. */
  drain () {
    for (const [startMs, durationMs, kind] of this.#ring.drain()) {
      this.#pauses.push({ startMs, endMs: startMs + durationMs })
      this.#metrics.observeGc(GC_KINDS[kind] ?? 'other', durationMs)
    }
    if (this.#pauses.length > 2 * PAUSES) this.#pauses = this.#pauses.slice(-PAUSES)
  }

  /** @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#pauses, startMs, endMs)
  }
}

exports.GcPauses = GcPauses
