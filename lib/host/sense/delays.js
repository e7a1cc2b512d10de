'use strict'

/**
 * @import { DelayCounts } from '../../bridge/delay-counts'
 * @import { LoadReport } from './load-report'
 */

/** Counts how late heartbeats come. The timer of Node's monitorEventLoopDelay() would wake a sleeping process, too. */
class Delays {
  #counts
  #report
  #periodMs
  /** @type {number | null} */
  #dueAtMs = null

  /**
   * @param {{ calmPeriod: number }} options ms
   * @param {Pick<DelayCounts, 'record'>} counts
   * @param {Pick<LoadReport, 'record'>} [report]
   */
  constructor ({ calmPeriod }, counts, report) {
    this.#periodMs = calmPeriod
    this.#counts = counts
    this.#report = report
  }

  /**
   * Counts one delay in each calm period: else busy times, which beat faster, would outweigh the others.
   * @param {number} atMs monotonic @param {number} lateMs may be below 0, as timers are of whole milliseconds
   */
  beat (atMs, lateMs) {
    // The application's start-up precedes its first turn; nobody was waiting then.
    this.#dueAtMs ??= atMs + this.#periodMs
    if (atMs < this.#dueAtMs) return
    this.#dueAtMs = Math.max(this.#dueAtMs, atMs - this.#periodMs) + this.#periodMs
    const delayMs = Math.max(0, lateMs)
    this.#counts.record(delayMs)
    this.#report?.record(atMs, delayMs)
  }
}

exports.Delays = Delays
