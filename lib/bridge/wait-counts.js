'use strict'

const { PEERS, table } = require('../tables/metrics')
const { MS_PER_S } = require('../util/units')

/** @import { StringTable } from './string-table' */

const { buckets = [] } = /** @type {{ buckets?: number[] }} */ (table.find(({ key }) => key === 'wait'))

/** Numbers of a peer: open waits, the sum of ended ones in ms, and their counts by bucket. */
const OPEN = 0
const SUM = 1
const COUNTS = 2
const WIDTH = COUNTS + buckets.length + 1
/** One more for all peers beyond the bound. */
const ROWS = PEERS + 1

/** Waits for each peer in shared memory, so that a call costs no message. Counts only grow, apart from open waits. */
class WaitCounts {
  static BYTES = ROWS * WIDTH * 8

  #numbers

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 8 */
  constructor (memory, offset) {
    this.#numbers = new Float64Array(memory, offset, ROWS * WIDTH)
  }

  /** Host. @param {number} peer its number */
  begin (peer) {
    this.#numbers[peer * WIDTH + OPEN]++
  }

  /** Host: a wait ends. @param {number} peer @param {number} ms NaN if nobody knows when it began */
  end (peer, ms) {
    const at = peer * WIDTH
    this.#numbers[at + OPEN]--
    if (Number.isNaN(ms)) return
    this.#numbers[at + SUM] += ms
    let i = 0
    while (i < buckets.length && ms > buckets[i] * MS_PER_S) i++
    this.#numbers[at + COUNTS + i]++
  }

  /**
   * Watchdog: the peers that have counts, with their ended waits up to each bucket.
   * @param {Pick<StringTable, 'stringOf'>} names
   */
  read (names) {
    return Array.from({ length: ROWS }, (_, peer) => {
      const row = this.#numbers.slice(peer * WIDTH, (peer + 1) * WIDTH)
      let count = 0
      const upTo = Array.from(row.subarray(COUNTS), (each) => (count += each)).slice(0, -1)
      return { peer: `${names.stringOf(peer)}`, open: row[OPEN], sumMs: row[SUM], upTo, count }
    }).filter(({ open, count }) => open !== 0 || count > 0)
  }
}

exports.WaitCounts = WaitCounts
