'use strict'

/** Two to an octave: a quantile is at most 41 % off, mostly far less, as it is interpolated. */
const PER_OCTAVE = 2
/** Twenty octaves: from 1 ms to 17 minutes. */
const BINS = 40

/**
 * Counts of durations on a logarithmic scale, in a ring of seconds, with their sum over the ring:
 * quantiles of any second and of all of them, since quantiles of seconds must not be averaged.
 */
class Bins {
  #seconds
  #counts
  #sum = new Float64Array(BINS)
  #firstMs

  /** @param {number} seconds of the ring @param {number} firstMs upper bound of the first bin */
  constructor (seconds, firstMs) {
    this.#seconds = seconds
    this.#counts = new Uint32Array(seconds * BINS)
    this.#firstMs = firstMs
  }

  /** The upper bounds of all bins but the last, which has none. */
  get boundsMs () {
    return Array.from({ length: BINS - 1 }, (_, bin) => this.#boundMs(bin))
  }

  /** @param {number} bin */
  #boundMs (bin) {
    return this.#firstMs * 2 ** (bin / PER_OCTAVE)
  }

  /** @param {number} second @param {number} ms @param {number} [count] */
  add (second, ms, count = 1) {
    const bin = ms <= this.#firstMs ? 0 : Math.min(BINS - 1, Math.ceil(Math.log2(ms / this.#firstMs) * PER_OCTAVE))
    this.addTo(second, bin, count)
  }

  /** @param {number} second @param {number} bin @param {number} count */
  addTo (second, bin, count) {
    this.#counts[second % this.#seconds * BINS + bin] += count
    this.#sum[bin] += count
  }

  /** Makes room for a new second. @param {number} second */
  clear (second) {
    const at = second % this.#seconds * BINS
    for (let bin = 0; bin < BINS; bin++) this.#sum[bin] -= this.#counts[at + bin]
    this.#counts.fill(0, at, at + BINS)
  }

  /** @param {number | null} second null = all in the ring */
  count (second) {
    let total = 0
    for (const count of this.#of(second)) total += count
    return total
  }

  /**
   * @param {number | null} second null = all in the ring
   * @param {number} share 0 to 1
   * @returns {number | null} ms, null where nothing was counted
   */
  quantile (second, share) {
    const counts = this.#of(second)
    const total = this.count(second)
    if (total === 0) return null
    let left = total * share
    for (let bin = 0; bin < BINS; bin++) {
      if (counts[bin] > 0 && left <= counts[bin]) {
        const lowMs = bin === 0 ? 0 : this.#boundMs(bin - 1)
        return lowMs + (this.#boundMs(bin) - lowMs) * left / counts[bin]
      }
      left -= counts[bin]
    }
    return this.#boundMs(BINS - 1)
  }

  /** @param {number | null} second */
  #of (second) {
    if (second === null) return this.#sum
    const at = second % this.#seconds * BINS
    return this.#counts.subarray(at, at + BINS)
  }
}

exports.Bins = Bins
