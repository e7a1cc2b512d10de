'use strict'

// The package's own entry also loads its WebAssembly, 50 ms in each fresh process.
const { default: Int32Histogram } = require('hdr-histogram-js/dist/Int32Histogram')

const NS_PER_MS = 1e6
/** Two digits: a percentile is right to 1%, and a histogram of a run is a few hundred counts. */
const DIGITS = 2
/** Ten seconds; it grows where an operation takes longer. */
const LARGEST_NS = 1e10

/** Durations by HdrHistogram, in nanoseconds inside, in milliseconds outside. */
class Latency {
  #histogram = new Int32Histogram(1, LARGEST_NS, DIGITS)

  constructor () {
    this.#histogram.autoResize = true
  }

  /** @param {number} ms @param {number} [count] */
  record (ms, count = 1) {
    this.#histogram.recordValueWithCount(Math.max(1, Math.round(ms * NS_PER_MS)), count)
  }

  get count () {
    return this.#histogram.totalCount
  }

  get mean () {
    return this.#histogram.mean / NS_PER_MS
  }

  reset () {
    this.#histogram.reset()
  }

  /** The buckets, for another process. @returns {[ms: number, count: number][]} */
  counts () {
    /** @type {[number, number][]} */
    const counts = []
    for (let i = 0; i < this.#histogram.countsArrayLength; i++) {
      const count = this.#histogram.getCountAtIndex(i)
      if (count > 0) {
        counts.push([this.#histogram.medianEquivalentValue(this.#histogram.valueFromIndex(i)) / NS_PER_MS, count])
      }
    }
    return counts
  }

  /** Null where nothing was recorded. */
  percentiles () {
    if (this.count === 0) return null
    const at = (/** @type {number} */ percent) => this.#histogram.getValueAtPercentile(percent) / NS_PER_MS
    return { p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: this.#histogram.maxValue / NS_PER_MS }
  }
}

exports.Latency = Latency
