'use strict'

/** The number of a name (Uint32), when it began (Float64), its length and how long it waited (Float32). */
const BYTES_PER_ROW = 4 + 8 + 4 + 4

/** The latest spans of one kind, a bounded number of them. All memory is allocated at once and used as spans come. */
class SpanRing {
  #capacity
  #names
  #startsMs
  #lengthsMs
  #waitsMs
  #count = 0

  /** @param {number} capacity rows */
  constructor (capacity) {
    this.#capacity = capacity
    this.#names = new Uint32Array(capacity)
    this.#startsMs = new Float64Array(capacity)
    this.#lengthsMs = new Float32Array(capacity)
    this.#waitsMs = new Float32Array(capacity)
  }

  /** @param {number} name a number @param {number} startMs @param {number} durationMs */
  add (name, startMs, durationMs, waitedMs = 0) {
    const at = this.#count++ % this.#capacity
    this.#names[at] = name
    this.#startsMs[at] = startMs
    this.#lengthsMs[at] = durationMs
    this.#waitsMs[at] = waitedMs
  }

  get #first () {
    return Math.max(0, this.#count - this.#capacity)
  }

  /** Everything that ended after this is here; -Infinity until the ring was full. */
  get completeSinceMs () {
    const at = this.#first % this.#capacity
    return this.#first === 0 ? -Infinity : this.#startsMs[at] + this.#lengthsMs[at]
  }

  /**
   * @param {number} fromMs @param {number} toMs
   * @returns {{ name: number, startMs: number, durationMs: number, waitedMs: number }[]} in the order they came
   */
  within (fromMs, toMs) {
    const found = []
    for (let i = this.#first; i < this.#count; i++) {
      const at = i % this.#capacity
      const [startMs, durationMs] = [this.#startsMs[at], this.#lengthsMs[at]]
      if (startMs > toMs || startMs + durationMs < fromMs) continue
      found.push({ name: this.#names[at], startMs, durationMs, waitedMs: this.#waitsMs[at] })
    }
    return found
  }
}

exports.SpanRing = SpanRing
exports.BYTES_PER_ROW = BYTES_PER_ROW
