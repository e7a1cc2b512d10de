'use strict'

const { MS_PER_S } = require('../../util/units')

/**
 * The values of one set of labels, as prom-client's registry wants them.
 * @param {string} name @param {Record<string, string>} labels @param {number[]} bounds
 * @param {number[]} upTo counts up to each bound, and all @param {number} sum
 */
const valuesOf = (name, labels, bounds, upTo, sum) => [
  ...upTo.map((value, i) => ({ metricName: `${name}_bucket`, labels: { ...labels, le: bounds[i] ?? '+Inf' }, value })),
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: upTo[bounds.length] }
]

/** The counts of one set of labels. prom-client's observe() hashes labels each time: it takes ten times as long. */
class Series {
  #bounds
  #counts
  sum = 0

  /** @param {number[]} bounds ascending */
  constructor (bounds) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  /** @param {number} value @param {number} [times] */
  observe (value, times = 1) {
    let i = 0
    while (i < this.#bounds.length && value > this.#bounds[i]) i++
    this.#counts[i] += times
    this.sum += value * times
  }

  get cumulative () {
    let total = 0
    return Array.from(this.#counts, (count) => (total += count))
  }
}

/** Filled series by series. prom-client's registry accepts it for its name, type and get(). */
class SeriesHistogram {
  type = 'histogram'
  #bounds
  /** @type {Map<string, { labels: Record<string, string>, series: Series }>} */
  #series = new Map()

  /** @param {{ name: string, help: string, buckets: number[] }} row */
  constructor ({ name, help, buckets }) {
    this.name = name
    this.help = help
    this.#bounds = buckets
  }

  /** Callers keep the series. @param {Record<string, string>} labels in the same order each time */
  series (labels) {
    const key = Object.values(labels).join('\n')
    let known = this.#series.get(key)
    if (known === undefined) {
      known = { labels, series: new Series(this.#bounds) }
      this.#series.set(key, known)
    }
    return known.series
  }

  async get () {
    const { name, help, type } = this
    const values = [...this.#series.values()].flatMap(({ labels, series }) =>
      valuesOf(name, labels, this.#bounds, series.cumulative, series.sum))
    return { name, help, type, aggregator: 'sum', values }
  }

  reset () {}
}

/** @typedef {{ upTo: number[], count: number, sumMs: number }} Counted */

/** Reads the host's counts in shared memory. prom-client's registry wants name, type and get(). */
class DelayHistogram {
  type = 'histogram'
  #buckets
  #read
  /** @type {Counted | null} subtracted from each reading; null until the first */
  #start

  /**
   * @param {object} parts
   * @param {string} parts.name @param {string} parts.help @param {number[]} parts.buckets seconds
   * @param {{ read: (boundsMs: number[]) => Counted }} parts.delays lib/bridge/delay-counts.js
   * @param {boolean} [parts.countsFromNow] count from the first reading on
   */
  constructor ({ name, help, buckets, delays, countsFromNow = false }) {
    this.name = name
    this.help = help
    this.#buckets = buckets
    const boundsMs = buckets.map((seconds) => seconds * MS_PER_S)
    this.#read = () => delays.read(boundsMs)
    this.#start = countsFromNow ? null : { upTo: buckets.map(() => 0), count: 0, sumMs: 0 }
  }

  async get () {
    const { upTo, count, sumMs } = this.#read()
    const start = this.#start ??= { upTo, count, sumMs }
    const { name, help, type } = this
    const fresh = [...upTo.map((each, i) => each - start.upTo[i]), count - start.count]
    const values = valuesOf(name, { thread: 'main' }, this.#buckets, fresh, (sumMs - start.sumMs) / MS_PER_S)
    return { name, help, type, aggregator: 'sum', values }
  }

  reset () {}
}

exports.SeriesHistogram = SeriesHistogram
exports.DelayHistogram = DelayHistogram
