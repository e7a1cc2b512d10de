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

  /** @param {Record<string, string>} labels @param {number[]} bounds ascending */
  constructor (labels, bounds) {
    this.labels = labels
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

/** A metric as prom-client's registry accepts it: with a name, a type and get(). */
class Histogram {
  type = 'histogram'
  #row

  /** @param {{ name: string, help: string, buckets: number[] }} row `buckets`: ascending bounds */
  constructor (row) {
    this.#row = row
    this.name = row.name
    this.bounds = row.buckets
  }

  async get () {
    const { name, help } = this.#row
    return { name, help, type: this.type, aggregator: 'sum', values: this.values() }
  }

  /** @returns {ReturnType<typeof valuesOf>} */
  values () {
    return []
  }

  reset () {}
}

class SeriesHistogram extends Histogram {
  /** @type {Map<string, Series>} */
  #series = new Map()

  /** Callers keep the series. @param {Record<string, string>} labels in the same order each time */
  series (labels) {
    const key = Object.values(labels).join('\n')
    const series = this.#series.get(key) ?? new Series(labels, this.bounds)
    this.#series.set(key, series)
    return series
  }

  values () {
    return [...this.#series.values()].flatMap(({ labels, cumulative, sum }) =>
      valuesOf(this.name, labels, this.bounds, cumulative, sum))
  }
}

/** @typedef {{ upTo: number[], count: number, sumMs: number }} Counted up to each bound, and in all */
/** @typedef {(boundsMs: number[]) => [labels: Record<string, string>, Counted][]} Read by the labels of each series */

/** Reads the host's counts in shared memory. */
class ReadHistogram extends Histogram {
  #read
  #countsFromNow
  /** Subtracted from each reading, by labels. @type {Map<string, Counted>} */
  #starts = new Map()

  /**
   * @param {ConstructorParameters<typeof Histogram>[0] & { read: Read, countsFromNow?: boolean }} parts `buckets`:
   * seconds; `countsFromNow`: what the first reading has does not count
   */
  constructor ({ read, countsFromNow = false, ...row }) {
    super(row)
    const boundsMs = row.buckets.map((seconds) => seconds * MS_PER_S)
    this.#read = () => read(boundsMs)
    this.#countsFromNow = countsFromNow
  }

  values () {
    const series = this.#read()
    const values = series.flatMap(([labels, { upTo, count, sumMs }]) => {
      const key = Object.values(labels).join('\n')
      const start = this.#starts.get(key) ??
        (this.#countsFromNow ? { upTo, count, sumMs } : { upTo: upTo.map(() => 0), count: 0, sumMs: 0 })
      this.#starts.set(key, start)
      const fresh = [...upTo.map((each, i) => each - start.upTo[i]), count - start.count]
      return valuesOf(this.name, labels, this.bounds, fresh, (sumMs - start.sumMs) / MS_PER_S)
    })
    // A series that comes later has begun in this life.
    this.#countsFromNow = false
    return values
  }
}

exports.SeriesHistogram = SeriesHistogram
exports.ReadHistogram = ReadHistogram
