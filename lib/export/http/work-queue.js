'use strict'

const { setImmediate } = require('node:timers/promises')
const { STREAMS } = require('./event-streams')

/** One piece of expensive work at a time: a hundred answers at once would take a hundred times the memory. */
class WorkQueue {
  #count = 0
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()

  /** @template T @param {() => T | Promise<T>} work @returns {Promise<T> | null} null if too many pieces wait */
  add (work) {
    // One for each page that may be open: pages request a flame graph now and then.
    if (this.#count > STREAMS) return null
    this.#count++
    // The watchdog polls the loop between two pieces of work.
    const result = this.#last.then(() => setImmediate()).then(work).finally(() => { this.#count-- })
    this.#last = result.catch(() => {})
    return result
  }
}

exports.WorkQueue = WorkQueue
