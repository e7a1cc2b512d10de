'use strict'

/**
 * Whether something happened often enough lately: so many times within a time, and it stays so until that time has
 * passed without. The triggers of origin tracking and of request tracking ask this, and so does the verdict on the
 * option `route`.
 */
class Recently {
  #times
  #withinMs
  /** When it happened, oldest first, at most as often as it takes. @type {number[]} */
  #atMs = []

  /** @param {{ times?: number, withinMs: number }} often */
  constructor ({ times = 1, withinMs }) {
    this.#times = times
    this.#withinMs = withinMs
  }

  /** It has happened. @param {number} nowMs */
  add (nowMs) {
    this.#atMs.push(nowMs)
    if (this.#atMs.length > this.#times) this.#atMs.shift()
  }

  /** @param {number} nowMs */
  isOn (nowMs) {
    return this.#atMs.length === this.#times && nowMs - this.#atMs[0] < this.#withinMs
  }
}

exports.Recently = Recently
