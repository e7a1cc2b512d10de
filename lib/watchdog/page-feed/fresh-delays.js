'use strict'

/** @import { DelayCounts } from '../../bridge/delay-counts' */

/** The delays since the last call of take(), by bins: the counts in shared memory only grow. */
class FreshDelays {
  #delays
  #boundsMs
  /** @type {number[]} by bin, at the last call */
  #counts

  /**
   * @param {object} parts @param {Pick<DelayCounts, 'read'>} parts.delays
   * @param {number[]} parts.boundsMs ascending, some of those that the host counts by
   */
  constructor ({ delays, boundsMs }) {
    this.#delays = delays
    this.#boundsMs = boundsMs
    this.#counts = this.#read()
  }

  #read () {
    const { upTo, count } = this.#delays.read(this.#boundsMs)
    return [...upTo, count].map((total, bin) => bin === 0 ? total : total - upTo[bin - 1])
  }

  /** @returns {[bin: number, count: number][]} the bin after the last bound included */
  take () {
    const before = this.#counts
    this.#counts = this.#read()
    return this.#counts.flatMap((count, bin) => count > before[bin] ? [[bin, count - before[bin]]] : [])
  }
}

exports.FreshDelays = FreshDelays
