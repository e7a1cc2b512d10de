'use strict'

const { countUpTo } = require('../../export/prometheus/delay-histogram')
const { NS_PER_MS } = require('../../util/units')

/**
 * What the shared histogram of delays has recorded since the last call, by bins. The histogram only grows: a reset
 * would take its counts from the metrics. After a calm second few delays are new, and a few calls of percentile() find
 * where they went: a tenth of a millisecond.
 */
class FreshDelays {
  #histogram
  #boundsNs
  /** @type {number[]} recorded up to each bound */
  #upTo
  #count

  /**
   * @param {object} parts
   * @param {import('node:perf_hooks').RecordableHistogram} parts.histogram nanoseconds
   * @param {number[]} parts.boundsMs ascending
   */
  constructor ({ histogram, boundsMs }) {
    this.#histogram = histogram
    this.#boundsNs = boundsMs.map((ms) => ms * NS_PER_MS)
    this.#count = histogram.count
    this.#upTo = this.#boundsNs.map((ns) => countUpTo(histogram, ns, this.#count))
  }

  /** @returns {[bin: number, count: number][]} the bin after the last bound included */
  take () {
    const count = this.#histogram.count
    const fresh = count - this.#count
    if (fresh <= 0) return []
    this.#count = count
    /** @type {[number, number][]} */
    const taken = []
    let seen = 0
    for (let bin = 0; bin < this.#boundsNs.length; bin++) {
      const before = this.#upTo[bin]
      // Beyond the largest new delay nothing has to be searched.
      const after = seen === fresh
        ? before + fresh
        : countUpTo(this.#histogram, this.#boundsNs[bin], count, before + seen, before + fresh)
      this.#upTo[bin] = after
      if (after - before > seen) taken.push([bin, after - before - seen])
      seen = after - before
    }
    if (seen < fresh) taken.push([this.#boundsNs.length, fresh - seen])
    return taken
  }
}

exports.FreshDelays = FreshDelays
