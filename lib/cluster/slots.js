'use strict'

const { isAlive } = require('../util/processes')

/** Most workers of a cluster. Further ones are refused and serve endpoints of their own. */
const MOST_SLOTS = 256

/** Numbers for workers. A worker gets the lowest free one, so a worker that replaces another gets the same number. */
class Slots {
  #taken = new Set()
  /** @type {Map<number, { instance: string, pid: number }>} the last holder of each slot */
  #last = new Map()
  #isAlive

  /** @param {(pid: number) => boolean} [alive] */
  constructor (alive = isAlive) {
    this.#isAlive = alive
  }

  /** @param {string} instance @param {number} pid @param {unknown} wanted slot under the last primary, given if free */
  take (instance, pid, wanted) {
    const slot = this.#returning(instance, pid) ?? this.#inherited(wanted) ?? this.#lowest()
    if (slot > MOST_SLOTS) return null
    const last = this.#last.get(slot)
    this.#taken.add(slot)
    this.#last.set(slot, { instance, pid })
    return { slot, isRestart: last !== undefined && last.pid !== pid }
  }

  /** @param {number} slot */
  release (slot) {
    this.#taken.delete(slot)
  }

  /** @param {string} instance @param {number} pid */
  #returning (instance, pid) {
    for (const [slot, last] of this.#last) {
      if ((last.instance === instance || last.pid === pid) && !this.#taken.has(slot)) return slot
    }
  }

  /** @param {unknown} wanted */
  #inherited (wanted) {
    const slot = Number(wanted)
    return Number.isInteger(wanted) && slot >= 1 && slot <= MOST_SLOTS && !this.#last.has(slot) ? slot : undefined
  }

  /** The lowest slot whose last process is gone: a living one may come back, and its totals would count twice. */
  #lowest () {
    let slot = 1
    while (this.#taken.has(slot) || this.#isAlive(this.#last.get(slot)?.pid ?? 0)) slot++
    return slot
  }
}

exports.Slots = Slots
exports.MOST_SLOTS = MOST_SLOTS
