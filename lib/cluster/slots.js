'use strict'

/** More workers than this are refused and listen on their own. */
const MOST_SLOTS = 256

/**
 * Which number a worker goes by: the lowest free one, so that a worker that replaces another goes on
 * under its number. `instance` tells one life of a worker's watchdog from the next.
 */
class Slots {
  /** @type {Map<number, string>} instance that has a slot */
  #taken = new Map()
  /** @type {Map<number, string>} instance that had it last */
  #last = new Map()

  /**
   * @param {string} instance
   * @param {unknown} wanted had under an earlier hub; taken over where nobody has it
   * @returns {{ slot: number, isRestart: boolean } | null} `isRestart`: it replaces another instance; null where all are taken
   */
  take (instance, wanted) {
    const slot = this.#returning(instance) ?? this.#inherited(wanted) ?? this.#lowest()
    if (slot > MOST_SLOTS) return null
    const last = this.#last.get(slot)
    this.#taken.set(slot, instance)
    this.#last.set(slot, instance)
    return { slot, isRestart: last !== undefined && last !== instance }
  }

  /** @param {number} slot */
  release (slot) {
    this.#taken.delete(slot)
  }

  /** @param {string} instance */
  #returning (instance) {
    for (const [slot, last] of this.#last) {
      if (last === instance && !this.#taken.has(slot)) return slot
    }
  }

  /** @param {unknown} wanted */
  #inherited (wanted) {
    const slot = Number(wanted)
    return Number.isInteger(wanted) && slot >= 1 && slot <= MOST_SLOTS && !this.#last.has(slot) ? slot : undefined
  }

  #lowest () {
    let slot = 1
    while (this.#taken.has(slot)) slot++
    return slot
  }
}

exports.Slots = Slots
exports.MOST_SLOTS = MOST_SLOTS
