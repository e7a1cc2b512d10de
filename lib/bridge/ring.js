'use strict'

const READ = 0
const WRITTEN = 1
const DROPPED = 2
const HEADER_BYTES = 16
/** The share that may wait. On a core that both threads share, a drain delays all open requests: few improve p99. */
const FILLING_SHARE = 1 / 4
/** @type {number[][]} what an empty ring drains to, many times per second */
const NONE = []

/** A bounded queue of rows of numbers between two threads. The writer never waits: a full ring drops and counts. */
class Ring {
  #header
  #rows
  #capacity
  #width
  /** The writer's own, as Int32: rows written so far, and the last loaded count of those read. */
  #written
  #lastRead

  /** @param {number} capacity rows, a power of 2 @param {number} width numbers a row */
  static bytes (capacity, width) {
    return HEADER_BYTES + capacity * width * 8
  }

  /** @param {SharedArrayBuffer} memory @param {number} offset @param {number} capacity @param {number} width */
  constructor (memory, offset, capacity, width) {
    this.#header = new Int32Array(memory, offset, HEADER_BYTES / 4)
    this.#rows = new Float64Array(memory, offset + HEADER_BYTES, capacity * width)
    this.#capacity = capacity
    this.#width = width
    this.#written = Atomics.load(this.#header, WRITTEN)
    this.#lastRead = Atomics.load(this.#header, READ)
  }

  /** Adds a row. Numbers beyond the ring's width are left out. @param {number} a @param {number} b @param {number} c */
  push (a, b, c, d = 0, e = 0, f = NaN) {
    const written = this.#written
    const capacity = this.#capacity
    // Int32 counters wrap, their difference does not. The reader's position is loaded only if the ring looks full.
    if (((written - this.#lastRead) | 0) >= capacity) {
      this.#lastRead = Atomics.load(this.#header, READ)
      if (((written - this.#lastRead) | 0) >= capacity) {
        Atomics.add(this.#header, DROPPED, 1)
        return
      }
    }
    const rows = this.#rows
    const width = this.#width
    const at = (written & (capacity - 1)) * width
    rows[at] = a
    rows[at + 1] = b
    rows[at + 2] = c
    if (width > 3) rows[at + 3] = d
    if (width > 4) rows[at + 4] = e
    if (width > 5) rows[at + 5] = f
    this.#written = (written + 1) | 0
    Atomics.store(this.#header, WRITTEN, this.#written)
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
   * Passes each unread row to `take`, oldest first and in place, up to the first that it refuses: that one comes again.
   * @param {(numbers: Float64Array, at: number) => boolean} take the row begins at `at`; false refuses it
   */
  visit (take) {
    const written = Atomics.load(this.#header, WRITTEN)
    let read = Atomics.load(this.#header, READ)
    if (read === written) return
    while (read !== written && take(this.#rows, (read & (this.#capacity - 1)) * this.#width)) read = (read + 1) | 0
    Atomics.store(this.#header, READ, read)
  }

  get waiting () {
    return (Atomics.load(this.#header, WRITTEN) - Atomics.load(this.#header, READ)) | 0
  }

  get isEmpty () {
    return this.waiting === 0
  }

  /** Whether the ring should be drained now, as many more rows may come before the next poll. */
  get isFilling () {
    return this.waiting >= this.#capacity * FILLING_SHARE
  }

  takeDropped () {
    return Atomics.exchange(this.#header, DROPPED, 0)
  }
}

exports.Ring = Ring
