'use strict'

const { BoundedMap } = require('../../util/bounded-map')

/** Most places that are remembered. */
const PLACES = 10000

/** @param {string} file @param {number} line @param {number} column */
const keyOf = (file, line, column) => `${file}\n${line}\n${column}`

/** Answers for places in files, each found once. @template T */
class ByPlace {
  /** @type {BoundedMap<T>} */
  #known = new BoundedMap({ mostItems: PLACES })
  #find

  /** @param {(file: string, line: number, column: number) => T} find */
  constructor (find) {
    this.#find = find
  }

  /** @param {string} file @param {number} line @param {number} column @returns {T} */
  get (file, line, column) {
    const known = this.known(file, line, column)
    if (known !== undefined) return known
    const found = this.#find(file, line, column)
    this.#known.set(keyOf(file, line, column), found)
    return found
  }

  /** Undefined if the place is new. @param {string} file @param {number} line @param {number} column */
  known (file, line, column) {
    return this.#known.get(keyOf(file, line, column))
  }
}

exports.ByPlace = ByPlace
