'use strict'

/** A map that drops the least recently used items beyond its limits, but never the newest. @template V */
class BoundedMap {
  /** The least recently used first. @type {Map<string | number, { value: V, weight: number }>} */
  #items = new Map()
  #weight = 0
  #mostItems
  #mostWeight

  /** @param {{ mostItems: number, mostWeight?: number }} limits mostWeight in the unit of set() */
  constructor ({ mostItems, mostWeight = Infinity }) {
    this.#mostItems = mostItems
    this.#mostWeight = mostWeight
  }

  /** @param {string | number} key @returns {V | undefined} */
  get (key) {
    const item = this.#items.get(key)
    if (item === undefined) return undefined
    this.#items.delete(key)
    this.#items.set(key, item)
    return item.value
  }

  /** @param {string | number} key @param {V} value @param {number} [weight] */
  set (key, value, weight = 0) {
    this.delete(key)
    this.#items.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#items.keys()) {
      if (oldest === key || (this.#items.size <= this.#mostItems && this.#weight <= this.#mostWeight)) return
      this.delete(oldest)
    }
  }

  /** @param {string | number} key */
  delete (key) {
    this.#weight -= this.#items.get(key)?.weight ?? 0
    this.#items.delete(key)
  }

  /** All values, the least recently used first. Reading them here does not count as use. */
  * values () {
    for (const { value } of this.#items.values()) yield value
  }

  clear () {
    this.#items.clear()
    this.#weight = 0
  }
}

exports.BoundedMap = BoundedMap
