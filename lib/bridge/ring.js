'use strict'

const READ = 0
const WRITTEN = 1
const DROPPED = 2
const HEADER_BYTES = 16
/** What is left waiting takes this much off what the ring can hold until the next look, at most. */
const FILLING_SHARE = 1 / 16
/** @type {number[][]} what an empty ring drains to, many times a second */
const NONE = []

/**
 * A bounded queue of rows of numbers between one writing and one reading thread. The writer never
 * waits: a row that finds the ring full is counted and dropped.
 */
class Ring {
  #header
  #rows
  #capacity
  #width

  /** @param {number} capacity rows @param {number} width numbers a row */
  static bytes (capacity, width) {
    return HEADER_BYTES + capacity * width * 8
  }

  /** @param {SharedArrayBuffer} memory @param {number} offset @param {number} capacity @param {number} width */
  constructor (memory, offset, capacity, width) {
    this.#header = new Int32Array(memory, offset, HEADER_BYTES / 4)
    this.#rows = new Float64Array(memory, offset + HEADER_BYTES, capacity * width)
    this.#capacity = capacity
    this.#width = width
  }

  /** A row; numbers beyond the ring's width are left out. @param {number} a @param {number} b @param {number} c @param {number} [d] @param {number} [e] */
  push (a, b, c, d = 0, e = 0) {
    const written = Atomics.load(this.#header, WRITTEN)
    // Int32 counters wrap; their difference does not.
    if (((written - Atomics.load(this.#header, READ)) | 0) >= this.#capacity) {
      Atomics.add(this.#header, DROPPED, 1)
      return
    }
    const at = (written >>> 0) % this.#capacity * this.#width
    this.#rows[at] = a
    this.#rows[at + 1] = b
    this.#rows[at + 2] = c
    if (this.#width > 3) this.#rows[at + 3] = d
    if (this.#width > 4) this.#rows[at + 4] = e
    Atomics.store(this.#header, WRITTEN, (written + 1) | 0)
  }

  /** Every row written since the last call, oldest first. @returns {number[][]} */
  drain () {
    /** @type {number[][] | null} */
    let rows = null
    this.visit((numbers, at) => {
      rows ??= []
      rows.push(Array.from(numbers.subarray(at, at + this.#width)))
      return true
    })
    return rows ?? NONE
  }

  /**
   * The rows not seen yet, oldest first and in place, up to the first that is refused: it comes
   * again next time.
   * @param {(numbers: Float64Array, at: number) => boolean} take the row begins at `at`; false refuses it
   */
  visit (take) {
    const written = Atomics.load(this.#header, WRITTEN)
    let read = Atomics.load(this.#header, READ)
    if (read === written) return
    while (read !== written && take(this.#rows, (read >>> 0) % this.#capacity * this.#width)) read = (read + 1) | 0
    Atomics.store(this.#header, READ, read)
  }

  /** How many rows wait to be read. */
  get waiting () {
    return (Atomics.load(this.#header, WRITTEN) - Atomics.load(this.#header, READ)) | 0
  }

  get isEmpty () {
    return this.waiting === 0
  }

  /** Whether it had better be drained now: far more may come before the next look. */
  get isFilling () {
    return this.waiting >= this.#capacity * FILLING_SHARE
  }

  /** How many rows were dropped since the last call. */
  takeDropped () {
    return Atomics.exchange(this.#header, DROPPED, 0)
  }
}

exports.Ring = Ring
