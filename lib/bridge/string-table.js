'use strict'

const COUNT = 0
const HEADER_BYTES = 8
/** A name is a route template; what does not fit in is cut. */
const NAME_BYTES = 256
const LENGTH_BYTES = 2
/** In the second of them: a length takes nine bits at most. */
const GUESSED = 0x80
/** So much of the table is for names that somebody knows. */
const TOLD_SHARE = 0.5

/**
 * Names that the host gives numbers to, in shared memory: a number travels through a ring, its name
 * is written once. Only ever appended, so that a restarted watchdog finds them all. Names that are told
 * and those that are guessed are kept apart: whoever can make others guess must not take the room of the told.
 */
class Names {
  /** The number of whatever found the table full. */
  static NONE = -1
  /** Of a guess that has none and is to be given none. */
  static UNKNOWN = -2

  #header
  #bytes
  #capacity
  #encoder = new TextEncoder()
  /** The host's own. */
  #told = new Numbers()
  #guessed = new Numbers()

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

  /** Host: the number of a name that somebody knows, the same each time. @param {string} name */
  numberOf (name) {
    return this.#told.get(name) ?? this.#add(name, this.#told, 0)
  }

  /** Host: that of a name that was guessed. @param {string} name @param {boolean} isNew it may be given one */
  guess (name, isNew) {
    const number = this.#guessed.get(name)
    if (number !== undefined) return number
    if (!isNew) return Names.UNKNOWN
    return this.#guessed.size >= this.#capacity * (1 - TOLD_SHARE) ? Names.NONE : this.#add(name, this.#guessed, GUESSED)
  }

  /** @param {string} name @param {Numbers} numbers @param {number} flag */
  #add (name, numbers, flag) {
    const number = Atomics.load(this.#header, COUNT)
    if (number === this.#capacity) return Names.NONE
    const at = number * NAME_BYTES
    const { written } = this.#encoder.encodeInto(name, this.#bytes.subarray(at + LENGTH_BYTES, at + NAME_BYTES))
    this.#bytes[at] = written & 0xff
    this.#bytes[at + 1] = written >> 8 | flag
    numbers.set(name, number)
    Atomics.store(this.#header, COUNT, number + 1)
    return number
  }

  /** Watchdog: the name behind a number, null where there is none. @param {number} number */
  nameOf (number) {
    if (!this.#has(number)) return null
    const at = number * NAME_BYTES
    const length = this.#bytes[at] + ((this.#bytes[at + 1] & ~GUESSED) << 8)
    return Buffer.from(this.#bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length)).toString('utf8')
  }

  /** Watchdog: whether the name behind a number was guessed. @param {number} number */
  isGuess (number) {
    return this.#has(number) && (this.#bytes[number * NAME_BYTES + 1] & GUESSED) !== 0
  }

  /** @param {number} number */
  #has (number) {
    return number >= 0 && number < Atomics.load(this.#header, COUNT)
  }
}

/** Numbers by name; requests come in runs of one route. */
class Numbers {
  /** @type {Map<string, number>} */
  #byName = new Map()
  #lastName = ''
  /** @type {number | undefined} */
  #lastNumber

  /** @param {string} name */
  get (name) {
    if (name !== this.#lastName) {
      this.#lastName = name
      this.#lastNumber = this.#byName.get(name)
    }
    return this.#lastNumber
  }

  /** @param {string} name @param {number} number */
  set (name, number) {
    this.#byName.set(name, number)
    this.#lastName = name
    this.#lastNumber = number
  }

  get size () {
    return this.#byName.size
  }
}

exports.Names = Names
