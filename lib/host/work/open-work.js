'use strict'

/**
 * @import { RequestContext } from './http/context'
 * @import { Work } from './work'
 */

/** @typedef {RequestContext | Work} Item */

/** Open requests and pieces of work, linked to each other. */
class OpenWork {
  /** @type {Item | null} */
  #newest = null

  /** @param {Item} item */
  add (item) {
    item.older = this.#newest
    if (this.#newest !== null) this.#newest.newer = item
    this.#newest = item
  }

  /** @param {Item} item that may not have been added */
  remove (item) {
    const { older, newer } = item
    if (newer !== null) newer.older = older
    else if (this.#newest === item) this.#newest = older
    if (older !== null) older.newer = newer
    item.older = item.newer = null
  }

  /** @param {number} most @returns {Item[]} newest first */
  newest (most) {
    const items = []
    for (let item = this.#newest; item !== null && items.length < most; item = item.older) items.push(item)
    return items
  }

  /** @param {number} most items to search @returns {RequestContext[]} newest first */
  requests (most) {
    return this.newest(most).flatMap((item) => 'kind' in item ? [] : [item])
  }
}

exports.OpenWork = OpenWork
