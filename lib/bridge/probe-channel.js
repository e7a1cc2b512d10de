'use strict'

const ASKED = 0
const ANSWERED = 1
const LENGTH = 2
const HEADER_BYTES = 16
/** 64 frames of 500 bytes; more is cut. */
const TEXT_BYTES = 32768

/** One question and its answer, a text in shared memory: it needs neither an inspector session nor the host's loop. */
class ProbeChannel {
  static BYTES = HEADER_BYTES + TEXT_BYTES

  #header
  #text
  #encoder = new TextEncoder()

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 */
  constructor (memory, offset) {
    this.#header = new Int32Array(memory, offset, HEADER_BYTES / 4)
    this.#text = new Uint8Array(memory, offset + HEADER_BYTES, TEXT_BYTES)
  }

  /** Watchdog: opens a question. Answers to earlier ones no longer count. */
  ask () {
    return Atomics.add(this.#header, ASKED, 1) + 1
  }

  /** Host: the number of the open question, 0 if it is answered already. */
  get question () {
    const asked = Atomics.load(this.#header, ASKED)
    return Atomics.load(this.#header, ANSWERED) === asked ? 0 : asked
  }

  /** Host: answers the open question. @param {number} question @param {string} text */
  answer (question, text) {
    Atomics.store(this.#header, LENGTH, this.#encoder.encodeInto(text, this.#text).written)
    Atomics.store(this.#header, ANSWERED, question)
  }

  /** Watchdog: the answer to the question, or null while there is none. @param {number} question */
  take (question) {
    if (Atomics.load(this.#header, ANSWERED) !== question) return null
    return Buffer.from(this.#text.slice(0, Atomics.load(this.#header, LENGTH))).toString('utf8')
  }
}

exports.ProbeChannel = ProbeChannel
