'use strict'

/** Bytes between slots that different threads write: two on one cache line would pull it to and fro. */
const LINE = 64
const SLOTS_PER_LINE = LINE / Int32Array.BYTES_PER_ELEMENT
const WRITTEN = 0
const READ = SLOTS_PER_LINE
const READER_WAITS = 2 * SLOTS_PER_LINE
const WRITER_WAITS = 3 * SLOTS_PER_LINE
const HEADER = 4 * LINE
/** Eight, so that data begins where V8 copies shared memory word by word; elsewhere it goes byte by byte. */
const LENGTH_BYTES = 8
const SKIP = -1
/** Loads before a thread sleeps: a few microseconds, less than a futex takes to wake somebody. */
const SPINS = 2000

/** @param {number} bytes */
const aligned = (bytes) => (bytes + 7) & ~7

/**
 * Messages of bytes from one thread to one other through a SharedArrayBuffer. Positions only grow and
 * wrap at 2^32; the capacity is a power of two. A message never wraps: what is left before the end is
 * skipped when it does not fit.
 */
class Ring {
  #slots
  #lengths
  #capacity
  #spins
  /** Own position, published by flush() or release(). */
  #position
  /** The other side's, as last seen. */
  #limit
  /** Offset of the current message in `buffer`, and its length. */
  offset = 0
  length = 0

  /** @param {number} capacity power of two, bytes */
  static allocate (capacity) {
    return new SharedArrayBuffer(HEADER + capacity)
  }

  /**
   * @param {SharedArrayBuffer} memory
   * @param {{ isReader: boolean, cores: number }} options with one core nobody spins
   */
  constructor (memory, { isReader, cores }) {
    this.#slots = new Int32Array(memory, 0, HEADER / Int32Array.BYTES_PER_ELEMENT)
    this.#capacity = memory.byteLength - HEADER
    this.buffer = Buffer.from(memory, HEADER, this.#capacity)
    this.#lengths = new Int32Array(memory, HEADER)
    this.#position = Atomics.load(this.#slots, isReader ? READ : WRITTEN)
    this.#limit = this.#position
    this.#spins = cores > 1 ? SPINS : 0
  }

  /**
   * Finds room for a message of at most this many bytes, at `offset`. False while there is none.
   * @param {number} bytes
   */
  reserve (bytes) {
    const needed = LENGTH_BYTES + aligned(bytes)
    const at = this.#position & (this.#capacity - 1)
    const tail = this.#capacity - at
    const skipped = tail < needed ? tail : 0
    if (this.#free < needed + skipped) {
      this.#limit = Atomics.load(this.#slots, READ)
      if (this.#free < needed + skipped) return false
    }
    if (skipped > 0) {
      this.#lengths[at >> 2] = SKIP
      this.#position = (this.#position + skipped) | 0
    }
    this.offset = (this.#position & (this.#capacity - 1)) + LENGTH_BYTES
    return true
  }

  get #free () {
    return this.#capacity - ((this.#position - this.#limit) | 0)
  }

  /** Takes the reserved message as written. @param {number} bytes */
  commit (bytes) {
    this.#lengths[(this.offset - LENGTH_BYTES) >> 2] = bytes
    this.#position = (this.#position + LENGTH_BYTES + aligned(bytes)) | 0
  }

  /** Lets the reader see what was committed. */
  flush () {
    Atomics.store(this.#slots, WRITTEN, this.#position)
    if (Atomics.load(this.#slots, READER_WAITS) === 1) Atomics.notify(this.#slots, WRITTEN)
  }

  /** The next message, at `offset` and `length`. False where none is known of: look() asks anew. */
  next () {
    if (this.#position === this.#limit) return false
    let at = this.#position & (this.#capacity - 1)
    if (this.#lengths[at >> 2] === SKIP) {
      this.#position = (this.#position + this.#capacity - at) | 0
      at = 0
    }
    this.length = this.#lengths[at >> 2]
    this.offset = at + LENGTH_BYTES
    this.#position = (this.#position + LENGTH_BYTES + aligned(this.length)) | 0
    return true
  }

  look () {
    this.#limit = Atomics.load(this.#slots, WRITTEN)
    return this.#limit !== this.#position
  }

  /** Gives the room of what was read back to the writer. */
  release () {
    Atomics.store(this.#slots, READ, this.#position)
    if (Atomics.load(this.#slots, WRITER_WAITS) === 1) Atomics.notify(this.#slots, READ)
  }

  /** Waits for a message. @param {number} timeoutMs */
  waitForMessage (timeoutMs) {
    for (let i = 0; i < this.#spins; i++) if (this.look()) return
    Atomics.store(this.#slots, READER_WAITS, 1)
    Atomics.wait(this.#slots, WRITTEN, this.#position, timeoutMs)
    Atomics.store(this.#slots, READER_WAITS, 0)
    this.look()
  }

  /** Waits until something was read. @param {number} timeoutMs */
  waitForRoom (timeoutMs) {
    Atomics.store(this.#slots, WRITER_WAITS, 1)
    Atomics.wait(this.#slots, READ, this.#limit, timeoutMs)
    Atomics.store(this.#slots, WRITER_WAITS, 0)
  }
}

exports.Ring = Ring
