'use strict'

const { StringTable } = require('../../../bridge/string-table')
const { UNMATCHED } = require('./context')

/**
 * Decides which routes get a number in the shared table, and so a label. Named routes and routes guessed from paths
 * have a bound each: paths that clients make up must not take the room of named routes.
 */
class RouteNumbers {
  #table
  #most
  #named = 0
  #guessed = 0

  /** @param {Pick<StringTable, 'find' | 'numberOf'>} table @param {number} [most] of either kind */
  constructor (table, most = Infinity) {
    this.#table = table
    this.#most = most
  }

  /** @param {string} route @param {boolean} isGuess from the path @param {number} status @returns {number} or NONE */
  numberOf (route, isGuess, status) {
    const number = this.#table.find(route)
    if (number !== undefined) return number
    // A path that is new and answers with a client error is none of the application's.
    if (isGuess && !isThere(status)) return this.numberOf(UNMATCHED, false, status)
    // UNMATCHED has no bound, which separates it from routes beyond the bound.
    if (route === UNMATCHED) return this.#table.numberOf(route)
    if ((isGuess ? this.#guessed : this.#named) >= this.#most) return StringTable.NONE
    if (isGuess) this.#guessed++
    else this.#named++
    return this.#table.numberOf(route)
  }
}

/** Whether a route answered: scanners are rejected or redirected for good before the routes. @param {number} status */
function isThere (status) {
  return (status < 400 || status > 499) && status !== 301 && status !== 308
}

exports.RouteNumbers = RouteNumbers
