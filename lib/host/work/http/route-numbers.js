'use strict'

const { StringTable } = require('../../../bridge/string-table')
const { UNMATCHED } = require('./context')

/**
 * Decides which routes are counted under their own name: those with a number in the shared table, which the watchdog
 * uses as labels. Names from routers or the application and names guessed from paths have a bound each: clients can
 * make up paths, and these must not take the room of known routes.
 */
class RouteNumbers {
  #table
  #most
  #told = 0
  #guessed = 0

  /** @param {Pick<StringTable, 'find' | 'numberOf'>} table @param {number} [most] of either kind */
  constructor (table, most = Infinity) {
    this.#table = table
    this.#most = most
  }

  /**
   * The number of an ended request's route, StringTable.NONE for all beyond the bound.
   * @param {string} route @param {boolean} isGuess guessed from the path @param {number} status @returns {number}
   */
  numberOf (route, isGuess, status) {
    const known = this.#table.find(route)
    if (known !== undefined) return known
    // A known path keeps its name if it answers with an error. An unknown one is then none of the application's.
    if (isGuess && !isThere(status)) return this.numberOf(UNMATCHED, false, status)
    if ((isGuess ? this.#guessed : this.#told) >= this.#most) return StringTable.NONE
    if (isGuess) this.#guessed++
    else this.#told++
    return this.#table.numberOf(route)
  }
}

/**
 * Whether an answer shows that there is something at a path without a name. Scanners request any path, and what stands
 * in front of the routes rejects them or redirects them for good.
 * @param {number} status
 */
function isThere (status) {
  return (status < 400 || status > 499) && status !== 301 && status !== 308
}

exports.RouteNumbers = RouteNumbers
