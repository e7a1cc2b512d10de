'use strict'

const { table } = require('../tables/metrics')
const { MS_PER_S } = require('../util/units')

/** The bounds of the live page's bins: from 1 ms on, two an octave. They tell delays of up to nine minutes apart. */
const HALF_OCTAVES_MS = Array.from({ length: 39 }, (_, i) => 2 ** (i / 2))

const { buckets = [] } = /** @type {{ buckets?: number[] }} */ (table.find(({ key }) => key === 'delay'))

const BUCKETS_MS = buckets.map((seconds) => seconds * MS_PER_S)

const BOUNDS_MS = [...new Set([...BUCKETS_MS, ...HALF_OCTAVES_MS])].sort((a, b) => a - b)

const COUNTS = BOUNDS_MS.length + 1

/** Loop delays by length, and their sum, read even in a block. Never reset: each reader keeps what it has seen. */
class DelayCounts {
  static BYTES = (COUNTS + 1) * 8

  /** Counts by the first bound that is not exceeded, with one more beyond the last bound. */
  #counts
  #sumMs

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 8 */
  constructor (memory, offset) {
    this.#counts = new Float64Array(memory, offset, COUNTS)
    this.#sumMs = new Float64Array(memory, offset + COUNTS * 8, 1)
  }

  /** Host: one delay. Most are below the first bound. @param {number} delayMs 0 or more */
  record (delayMs) {
    let i = 0
    while (i < BOUNDS_MS.length && delayMs > BOUNDS_MS[i]) i++
    this.#counts[i]++
    this.#sumMs[0] += delayMs
  }

  /**
   * Watchdog: `upTo` has the number of delays up to each bound. One pass counts all, so that none exceeds the total.
   * @param {number[]} boundsMs ascending, out of BOUNDS_MS
   */
  read (boundsMs) {
    /** @type {number[]} */
    const upTo = []
    const sumMs = this.#sumMs[0]
    let count = 0
    for (let i = 0; i < COUNTS; i++) {
      count += this.#counts[i]
      if (upTo.length < boundsMs.length && BOUNDS_MS[i] === boundsMs[upTo.length]) upTo.push(count)
    }
    if (upTo.length < boundsMs.length) throw new RangeError(`no delays are counted by ${boundsMs[upTo.length]} ms`)
    return { upTo, count, sumMs }
  }
}

exports.DelayCounts = DelayCounts
exports.HALF_OCTAVES_MS = HALF_OCTAVES_MS
