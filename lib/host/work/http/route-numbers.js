'use strict'

const { StringTable } = require('../../../bridge/string-table')
const { UNMATCHED } = require('./context')

/**
 * Decides which routes are counted under their name: each gets a number in the shared table, and the watchdog takes
 * whatever has one for a label. Names that a router or the application has told and names that are guessed from paths
 * are bounded apart: whoever can make others guess must not take the room of the told.
 */
class RouteNumbers {
  #table
  #most
  #told = 0
  #guessed = 0

  /**
   * @param {Pick<StringTable, 'find' | 'numberOf'>} table
   * @param {number} [most] of either kind
   */
  constructor (table, most = Infinity) {
    this.#table = table
    this.#most = most
  }

  /**
   * The number of the route of a request that has ended; StringTable.NONE stands for all beyond the bound.
   * @param {string} route
   * @param {boolean} isGuess nobody has told the route: it is what the path looks like
   * @param {number} status
   * @returns {number}
   */
  numberOf (route, isGuess, status) {
    const known = this.#table.find(route)
    if (known !== undefined) return known
    // A path that is known to be there keeps its name where it says no; any other is none of the application's.
    if (isGuess && !isThere(status)) return this.numberOf(UNMATCHED, false, status)
    if ((isGuess ? this.#guessed : this.#told) >= this.#most) return StringTable.NONE
    if (isGuess) this.#guessed++
    else this.#told++
    return this.#table.numberOf(route)
  }
}

/**
 * Whether an answer tells that there is something at a path that nobody has named: scanners ask for anything, and are
 * turned away, or sent elsewhere for good, by what stands in front of the routes.
 * @param {number} status
 */
function isThere (status) {
  return (status < 400 || status > 499) && status !== 301 && status !== 308
}

exports.RouteNumbers = RouteNumbers
