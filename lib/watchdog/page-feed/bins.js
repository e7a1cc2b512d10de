'use strict'

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
   * @param {number} parts.perOctave 2: a quantile is at most 41 % off, 4: 19 %; mostly less, as it is interpolated
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

exports.Bins = Bins
