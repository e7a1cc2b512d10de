'use strict'

const { MS_PER_S } = require('../../util/units')

/** @import { DelayCounts } from '../../bridge/delay-counts' */

const SECONDS = 600
/** The bounds are those by which the host counts delays (lib/bridge/delay-counts.js). */
const DELAY_BINS = { seconds: SECONDS, firstMs: 1, perOctave: 2 }
const LATENCY_BINS = { seconds: SECONDS, firstMs: 0.1, perOctave: 4 }

/**
 * @typedef {object} Second what is drawn of one second; null = nothing was measured in it
 * @property {number | null} delayP50 ms @property {number | null} delayP99 ms @property {number | null} delayMax ms
 * @property {number | null} utilization 0 to 1 @property {number | null} requests finished
 * @property {number | null} latencyP50 ms @property {number | null} latencyP99 ms
 */

/** The last ten minutes of the event loop by seconds, for a page that is opened later: 300 kB, allocated once. */
class History {
  #delays = new Bins(DELAY_BINS)
  #latencies = new Bins(LATENCY_BINS)
  #maxMs = new Float64Array(SECONDS)
  #activeMs = new Float64Array(SECONDS)
  #idleMs = new Float64Array(SECONDS)
  #first
  #now
  /** @type {{ activeMs: number, idleMs: number }} totals at the end of the last second */
  #loop

  /** @param {number} nowMs @param {{ activeMs: number, idleMs: number }} loop */
  constructor (nowMs, loop) {
    this.#first = this.#now = Math.floor(nowMs / MS_PER_S)
    this.#loop = loop
  }

  /** The bounds of the bins in which endSecond() takes delays. */
  get delayBoundsMs () {
    return this.#delays.boundsMs
  }

  /** @param {number} durationMs */
  addRequest (durationMs) {
    this.#latencies.add(this.#now, durationMs)
  }

  /** A block is the largest delay of its second, and known exactly. @param {number} durationMs */
  addBlock (durationMs) {
    const at = this.#now % SECONDS
    this.#maxMs[at] = Math.max(this.#maxMs[at], durationMs)
  }

  get dueAtMs () {
    return (this.#now + 1) * MS_PER_S
  }

  /**
   * Ends the present second, which gets all that came since the last one ended. A block in progress is active time.
   * @param {number} nowMs @param {[bin: number, count: number][]} delays
   * @param {{ activeMs: number, idleMs: number, inProgressMs: number }} loop totals, and that block's length so far
   */
  endSecond (nowMs, loop, delays) {
    const at = this.#now % SECONDS
    for (const [bin, count] of delays) this.#delays.addTo(this.#now, bin, count)
    this.#activeMs[at] = Math.max(0, loop.activeMs - this.#loop.activeMs)
    this.#idleMs[at] = Math.max(0, loop.idleMs - this.#loop.idleMs)
    // A timer that is due is delayed by at least this; the host counts the delay at its end.
    if (loop.inProgressMs > 0) this.addBlock(loop.inProgressMs)
    this.#loop = loop
    const now = Math.floor(nowMs / MS_PER_S)
    for (let second = Math.max(this.#now + 1, now - SECONDS + 1); second <= now; second++) {
      for (const bins of [this.#delays, this.#latencies]) bins.clear(second)
      for (const column of [this.#maxMs, this.#activeMs, this.#idleMs]) column[second % SECONDS] = 0
    }
    this.#now = now
  }

  /** The number of the last complete second. */
  get second () {
    return this.#now - 1
  }

  get last () {
    return this.#second(this.second)
  }

  /** @returns {Second[]} the complete seconds, oldest first */
  get seconds () {
    const first = Math.max(this.#first, this.#now - SECONDS + 1)
    return Array.from({ length: this.#now - first }, (_, i) => this.#second(first + i))
  }

  /** All seconds as one. @returns {Second} */
  get whole () {
    const sum = (/** @type {Float64Array} */ column) => column.reduce((total, value) => total + value, 0)
    return this.#summary(null, Math.max(...this.#maxMs), sum(this.#activeMs), sum(this.#idleMs))
  }

  /** @param {number} second @returns {Second} */
  #second (second) {
    const at = second % SECONDS
    return this.#summary(second, this.#maxMs[at], this.#activeMs[at], this.#idleMs[at])
  }

  /** @param {number | null} second @param {number} blockMs @param {number} activeMs @param {number} idleMs */
  #summary (second, blockMs, activeMs, idleMs) {
    const hasTurned = activeMs + idleMs > 0
    const blocked = blockMs > 0 ? blockMs : null
    const max = blocked ?? this.#delays.quantile(second, 1)
    const delay = (/** @type {number} */ share) =>
      max === null ? null : round(Math.min(max, this.#delays.quantile(second, share) ?? max))
    return {
      delayP50: delay(0.5),
      delayP99: delay(0.99),
      delayMax: round(max),
      utilization: hasTurned ? Math.round(activeMs / (activeMs + idleMs) * 1000) / 1000 : null,
      requests: hasTurned ? this.#latencies.count(second) : null,
      latencyP50: round(this.#latencies.quantile(second, 0.5)),
      latencyP99: round(this.#latencies.quantile(second, 0.99))
    }
  }
}

/** @param {number | null} ms */
function round (ms) {
  return ms === null ? null : Math.round(ms * 100) / 100
}

/** The scale reaches from 1 ms to 17 minutes. */
const OCTAVES = 20

/** Counts durations on a log scale, by second and in sum: quantiles of several seconds must not be averaged. */
class Bins {
  #seconds
  #counts
  #sum
  #firstMs
  #perOctave
  #bins

  /**
   * @param {object} parts @param {number} parts.seconds of the ring @param {number} parts.firstMs bound of the first
   * @param {number} parts.perOctave 2: a quantile is at most 41% off, 4: 19%; mostly less, as it is interpolated
   */
  constructor ({ seconds, firstMs, perOctave }) {
    this.#seconds = seconds
    this.#firstMs = firstMs
    this.#perOctave = perOctave
    this.#bins = OCTAVES * perOctave
    this.#counts = new Uint32Array(seconds * this.#bins)
    this.#sum = new Float64Array(this.#bins)
  }

  /** The upper bounds of all bins but the last, which has none. */
  get boundsMs () {
    return Array.from({ length: this.#bins - 1 }, (_, bin) => this.#boundMs(bin))
  }

  /** @param {number} bin */
  #boundMs (bin) {
    return this.#firstMs * 2 ** (bin / this.#perOctave)
  }

  /** @param {number} second @param {number} ms @param {number} [count] */
  add (second, ms, count = 1) {
    const bin = ms <= this.#firstMs ? 0 : Math.ceil(Math.log2(ms / this.#firstMs) * this.#perOctave)
    this.addTo(second, Math.min(this.#bins - 1, bin), count)
  }

  /** @param {number} second @param {number} bin @param {number} count */
  addTo (second, bin, count) {
    this.#counts[second % this.#seconds * this.#bins + bin] += count
    this.#sum[bin] += count
  }

  /** Makes room for a new second. @param {number} second */
  clear (second) {
    const at = second % this.#seconds * this.#bins
    for (let bin = 0; bin < this.#bins; bin++) this.#sum[bin] -= this.#counts[at + bin]
    this.#counts.fill(0, at, at + this.#bins)
  }

  /** @param {number | null} second null = all in the ring */
  count (second) {
    let total = 0
    for (const count of this.#of(second)) total += count
    return total
  }

  /** In ms, null if empty. @param {number | null} second null = all in the ring @param {number} share 0 to 1 */
  quantile (second, share) {
    const counts = this.#of(second)
    const total = this.count(second)
    if (total === 0) return null
    let left = total * share
    for (let bin = 0; bin < this.#bins; bin++) {
      if (counts[bin] > 0 && left <= counts[bin]) {
        const lowMs = bin === 0 ? 0 : this.#boundMs(bin - 1)
        return lowMs + (this.#boundMs(bin) - lowMs) * left / counts[bin]
      }
      left -= counts[bin]
    }
    return this.#boundMs(this.#bins - 1)
  }

  /** @param {number | null} second */
  #of (second) {
    if (second === null) return this.#sum
    const at = second % this.#seconds * this.#bins
    return this.#counts.subarray(at, at + this.#bins)
  }
}

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

exports.History = History
exports.SECONDS = SECONDS
exports.Bins = Bins
exports.FreshDelays = FreshDelays
