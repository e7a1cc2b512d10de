'use strict'

const { OTHER } = require('../../util/overflow-label')

/**
 * Bounds the values of a label. The first ones are kept, all later ones become `(other)`. A value that was
 * kept stays, so counters never go backwards.
 */
class LabelBound {
  /** @type {Set<string>} */
  #known = new Set()
  #most

  /** @param {number} most */
  constructor (most) {
    this.#most = most
  }

  /** @param {string} value */
  has (value) {
    return this.#known.has(value)
  }

  /** @param {string} value */
  bound (value) {
    if (this.#known.has(value)) return value
    if (this.#known.size < this.#most) {
      this.#known.add(value)
      return value
    }
    return OTHER
  }
}

exports.LabelBound = LabelBound
