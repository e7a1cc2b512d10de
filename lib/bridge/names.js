'use strict'

const COUNT = 0
const HEADER_BYTES = 8
/** A name is a route template; what does not fit in is cut. */
const NAME_BYTES = 256
const LENGTH_BYTES = 2

/**
 * Names that the host gives numbers to, in shared memory: a number travels through a ring, its name
 * is written once. Only ever appended, so that a restarted watchdog finds them all.
 */
class Names {
  /** The number of whatever found the table full. */
  static NONE = -1

  #header
  #bytes
  #capacity
  #encoder = new TextEncoder()
  /** @type {Map<string, number>} the host's own */
  #numbers = new Map()
  #lastName = ''
  #lastNumber = Names.NONE

  /** @param {number} capacity names */
  static bytes (capacity) {
    return HEADER_BYTES + capacity * NAME_BYTES
  }

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 @param {number} capacity */
  constructor (memory, offset, capacity) {
    this.#header = new Int32Array(memory, offset, HEADER_BYTES / 4)
    this.#bytes = new Uint8Array(memory, offset + HEADER_BYTES, capacity * NAME_BYTES)
    this.#capacity = capacity
  }

  /** Host: the number of a name, the same each time. @param {string} name */
  numberOf (name) {
    // Requests come in runs of one route.
    if (name !== this.#lastName || this.#lastNumber === Names.NONE) {
      this.#lastNumber = this.#numbers.get(name) ?? this.#add(name)
      this.#lastName = name
    }
    return this.#lastNumber
  }

  /** @param {string} name */
  #add (name) {
    const number = Atomics.load(this.#header, COUNT)
    if (number === this.#capacity) return Names.NONE
    const at = number * NAME_BYTES
    const { written } = this.#encoder.encodeInto(name, this.#bytes.subarray(at + LENGTH_BYTES, at + NAME_BYTES))
    this.#bytes[at] = written & 0xff
    this.#bytes[at + 1] = written >> 8
    this.#numbers.set(name, number)
    Atomics.store(this.#header, COUNT, number + 1)
    return number
  }

  /** Watchdog: the name behind a number, null where there is none. @param {number} number */
  nameOf (number) {
    if (!(number >= 0 && number < Atomics.load(this.#header, COUNT))) return null
    const at = number * NAME_BYTES
    const length = this.#bytes[at] + (this.#bytes[at + 1] << 8)
    return Buffer.from(this.#bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length)).toString('utf8')
  }
}

exports.Names = Names
