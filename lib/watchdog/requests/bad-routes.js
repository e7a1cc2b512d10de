'use strict'

const { Recently } = require('../triggers/recently')

/** A minute without one, and the application's function is trusted again. */
const QUIET_MS = 60000

/** Whether the option `route` does its work, by how often it has not. */
class BadRoutes {
  #count = 0
  #failures = new Recently({ withinMs: QUIET_MS })

  /** @param {number} count of calls so far that threw or gave no name @param {number} nowMs @returns {Error | null} */
  judge (count, nowMs) {
    if (count !== this.#count) this.#failures.add(nowMs)
    this.#count = count
    return this.#failures.isOn(nowMs) ? new Error('the option route threw, or gave something else than a name, null or undefined') : null
  }
}

exports.BadRoutes = BadRoutes
