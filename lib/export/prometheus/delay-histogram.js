'use strict'

const { NS_PER_S } = require('../../util/units')

/**
 * The shared histogram of delays as one of Prometheus. Its exact counts are found by searching
 * percentile(), a microsecond each. A metric as prom-client's registry takes them: name, type, get().
 */
class DelayHistogram {
  type = 'histogram'
  #histogram
  #bounds
  /** @type {number[]} last counts by bound; a histogram never goes backwards */
  #counts
  #sum = 0
  /** @type {{ counts: number[], sum: number, count: number } | null} what is not counted, null until the first reading */
  #start

  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {string} parts.help
   * @param {number[]} parts.buckets seconds
   * @param {import('node:perf_hooks').RecordableHistogram} parts.histogram nanoseconds
   * @param {boolean} [parts.anew] count from the first reading on
   */
  constructor ({ name, help, buckets, histogram, anew = false }) {
    this.name = name
    this.help = help
    this.#bounds = buckets
    this.#counts = buckets.map(() => 0)
    this.#histogram = histogram
    this.#start = anew ? null : { counts: this.#counts, sum: 0, count: 0 }
  }

  async get () {
    const count = this.#histogram.count
    const labels = { thread: 'main' }
    this.#counts = this.#bounds.map((bound, i) => Math.max(this.#counts[i], countUpTo(this.#histogram, bound * NS_PER_S, count)))
    if (count > 0) this.#sum = Math.max(this.#sum, this.#histogram.mean / NS_PER_S * count)
    this.#start ??= { counts: this.#counts, sum: this.#sum, count }
    const { counts, sum, count: before } = this.#start
    return {
      name: this.name,
      help: this.help,
      type: this.type,
      aggregator: 'sum',
      values: [
        ...this.#bounds.map((le, i) => ({ metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: this.#counts[i] - counts[i] })),
        { metricName: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count - before },
        { metricName: `${this.name}_sum`, labels, value: this.#sum - sum },
        { metricName: `${this.name}_count`, labels, value: count - before }
      ]
    }
  }

  reset () {}
}

/**
 * How many of `count` recorded values are at most this.
 * @param {import('node:perf_hooks').RecordableHistogram} histogram
 * @param {number} valueNs
 * @param {number} count
 * @param {number} [low] at least so many are known to be
 * @param {number} [high] at most so many can be
 */
function countUpTo (histogram, valueNs, count, low = 0, high = count) {
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (histogram.percentile(middle / count * 100) <= valueNs) low = middle
    else high = middle - 1
  }
  return low
}

exports.DelayHistogram = DelayHistogram
exports.countUpTo = countUpTo
