'use strict'

// If an application has frozen its globals, Node.js can no longer make the global TextEncoder.
const { TextEncoder } = require('node:util')

const HEADER_BYTES = 8
/** Strings are route templates and names. What does not fit is cut. */
const STRING_BYTES = 256
const LENGTH_BYTES = 2

/** Strings that the host numbers: a ring carries the number. Only appended, so a restarted watchdog finds them all. */
class StringTable {
  /** The number of a string for which there is no room. */
  static NONE = -1

  #count
  #bytes
  #capacity
  #encoder = new TextEncoder()
  /** The host's own. @type {Map<string, number>} */
  #numbers = new Map()
  /** Consecutive requests mostly have the same route. */
  #lastString = ''
  /** @type {number | undefined} */
  #lastNumber

  /** @param {number} capacity strings */
  static bytes (capacity) {
    return HEADER_BYTES + capacity * STRING_BYTES
  }

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 @param {number} capacity */
  constructor (memory, offset, capacity) {
    this.#count = new Int32Array(memory, offset, 1)
    this.#bytes = new Uint8Array(memory, offset + HEADER_BYTES, capacity * STRING_BYTES)
    this.#capacity = capacity
  }

  /** Host: the number of a string, if it has one. @param {string} string */
  find (string) {
    if (string !== this.#lastString) {
      this.#lastString = string
      this.#lastNumber = this.#numbers.get(string)
    }
    return this.#lastNumber
  }

  /** Host: the number of a string. The first call adds the string. @param {string} string */
  numberOf (string) {
    const kept = this.find(string)
    if (kept !== undefined) return kept
    const number = Atomics.load(this.#count, 0)
    if (number === this.#capacity) return StringTable.NONE
    const at = number * STRING_BYTES
    const { written } = this.#encoder.encodeInto(string, this.#bytes.subarray(at + LENGTH_BYTES, at + STRING_BYTES))
    this.#bytes[at] = written & 0xff
    this.#bytes[at + 1] = written >> 8
    this.#numbers.set(string, number)
    this.#lastNumber = number
    Atomics.store(this.#count, 0, number + 1)
    return number
  }

  /** Watchdog: the string behind a number, null if there is none. @param {number} number */
  stringOf (number) {
    if (!(number >= 0 && number < Atomics.load(this.#count, 0))) return null
    const at = number * STRING_BYTES
    const length = this.#bytes[at] + (this.#bytes[at + 1] << 8)
    return Buffer.from(this.#bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length)).toString('utf8')
  }
}

exports.StringTable = StringTable
