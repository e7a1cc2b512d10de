'use strict'

const { setImmediate } = require('node:timers/promises')

/** As many as pages may be open; each of them asks for a flame graph now and then. */
const WAITING = 20

/** Work that takes memory and time, one after the other: a hundred at once would take a hundred times the memory. */
class Turns {
  #count = 0
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()

  /**
   * @template T
   * @param {() => T | Promise<T>} work
   * @returns {Promise<T> | null} null where too many wait
   */
  take (work) {
    if (this.#count > WAITING) return null
    this.#count++
    // The watchdog looks in between.
    const turn = this.#last.then(() => setImmediate()).then(work).finally(() => { this.#count-- })
    this.#last = turn.catch(() => {})
    return turn
  }
}

exports.Turns = Turns
exports.WAITING = WAITING
