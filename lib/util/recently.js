'use strict'

/** Whether something has happened `times` times within `withinMs`. */
class Recently {
  #times
  #withinMs
  /** The latest times, oldest first, at most `times` of them. @type {number[]} */
  #atMs = []

  /** @param {{ times?: number, withinMs: number }} often */
  constructor ({ times = 1, withinMs }) {
    this.#times = times
    this.#withinMs = withinMs
  }

  /** @param {number} nowMs when it happened */
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
