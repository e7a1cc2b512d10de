'use strict'

const { OTHER } = require('../../util/overflow-label')

/** Later values of a label become `(other)`. Kept values stay, so counters never decrease. */
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
