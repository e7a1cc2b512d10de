'use strict'

const { GC_KINDS } = require('../../bridge/memory')
const { overlapMs } = require('./self-lateness')

/**
 * @import { Ring } from '../../bridge/ring'
 * @import { Metrics } from '../../export/prometheus/metrics'
 * @import { Timeline } from '../timeline/timeline'
 */

/** The latest pauses that are kept, enough for the longest batch of one block. Older ones belong to settled blocks. */
const PAUSES = 4096
const MAJOR = GC_KINDS.indexOf('major')

/** The latest pauses of the host's garbage collector, to compare with a block. */
class GcPauses {
  /** @type {{ startMs: number, endMs: number, isMajor: boolean }[]} */
  #pauses = []
  #ring

  /** @param {Ring} ring */
  constructor (ring) {
    this.#ring = ring
  }

  /**
   * @param {Pick<Metrics, 'observeGc'>} metrics
   * @param {Pick<Timeline, 'pause'>} timeline
   */
  drain (metrics, timeline) {
    for (const [startMs, durationMs, kind] of this.#ring.drain()) {
      this.#pauses.push({ startMs, endMs: startMs + durationMs, isMajor: kind === MAJOR })
      timeline.pause(startMs, durationMs, kind)
      metrics.observeGc(GC_KINDS[kind] ?? 'other', durationMs)
    }
    if (this.#pauses.length > 2 * PAUSES) this.#pauses = this.#pauses.slice(-PAUSES)
  }

  /** How many ms of an interval were pauses. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#pauses, startMs, endMs)
  }

  /** Whether the whole heap was collected in an interval. @param {number} startMs @param {number} endMs */
  isMajorWithin (startMs, endMs) {
    return this.#pauses.some((pause) => pause.isMajor && pause.startMs < endMs && pause.endMs > startMs)
  }
}

exports.GcPauses = GcPauses
