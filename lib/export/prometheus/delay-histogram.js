'use strict'

const { MS_PER_S } = require('../../util/units')

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
    const labels = { thread: 'main' }
    const bucket = (/** @type {number | string} */ le, /** @type {number} */ value) => (
      { metricName: `${name}_bucket`, labels: { ...labels, le }, value })
    return {
      name,
      help,
      type,
      aggregator: 'sum',
      values: [
        ...this.#buckets.map((le, i) => bucket(le, upTo[i] - start.upTo[i])),
        bucket('+Inf', count - start.count),
        { metricName: `${name}_sum`, labels, value: (sumMs - start.sumMs) / MS_PER_S },
        { metricName: `${name}_count`, labels, value: count - start.count }
      ]
    }
  }

  reset () {}
}

exports.DelayHistogram = DelayHistogram
