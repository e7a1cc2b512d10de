'use strict'

const { createHistogram } = require('node:perf_hooks')
const { NS_PER_MS } = require('../../util/units')

/** An hour, as of Node's own histogram of delays. */
const MOST_NS = 3.6e12

/**
 * How late heartbeats come, in a histogram of Node's. Handed to a worker thread it stays shared: counts
 * grow while this thread runs and can be read there while it is stuck. monitorEventLoopDelay() would tell
 * the same with a timer of its own, which wakes a sleeping process once more each time.
 */
class Delays {
  histogram = createHistogram({ lowest: 1, highest: MOST_NS, figures: 3 })
  #periodMs
  /** @type {number | null} */
  #dueAtMs = null

  /** @param {{ calmPeriod: number }} options ms */
  constructor ({ calmPeriod }) {
    this.#periodMs = calmPeriod
  }

  /**
   * One is recorded per calm period: if every beat were, busy times, which beat faster, would outweigh the others.
   * @param {number} atMs monotonic
   * @param {number} lateMs of the beat, may be below 0 as timers are of whole milliseconds
   */
  beat (atMs, lateMs) {
    // The application's start-up precedes its first turn; nobody was waiting then.
    this.#dueAtMs ??= atMs + this.#periodMs
    if (atMs < this.#dueAtMs) return
    this.#dueAtMs = Math.max(this.#dueAtMs, atMs - this.#periodMs) + this.#periodMs
    this.histogram.record(Math.max(1, Math.round(lateMs * NS_PER_MS)))
  }
}

exports.Delays = Delays
