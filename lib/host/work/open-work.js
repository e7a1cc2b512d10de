'use strict'

/**
 * @import { RequestContext } from './http/context'
 * @import { Work } from './work'
 */

/** @typedef {RequestContext | Work} Item */

/**
 * Items that are linked to each other, from the oldest to the newest.
 * @template {{ older: any, newer: any }} T
 */
class Linked {
  /** @type {T | null} */
  #newest = null
  /** @type {T | null} */
  #oldest = null

  get oldest () {
    return this.#oldest
  }

  /** @param {T} item */
  add (item) {
    item.older = this.#newest
    if (this.#newest !== null) this.#newest.newer = item
    else this.#oldest = item
    this.#newest = item
  }

  /** @param {T} item that may not have been added */
  remove (item) {
    const { older, newer } = item
    if (newer !== null) newer.older = older
    else if (this.#newest === item) this.#newest = older
    if (older !== null) older.newer = newer
    else if (this.#oldest === item) this.#oldest = newer
    item.older = item.newer = null
  }

  /** @param {number} most @returns {T[]} newest first */
  newest (most) {
    const items = []
    for (let item = this.#newest; item !== null && items.length < most; item = item.older) items.push(item)
    return items
  }

  /** @param {number} untilMs when the last one began, at most @param {number} most @returns {T[]} oldest first */
  begunBy (untilMs, most) {
    const items = []
    for (let item = /** @type {any} */ (this.#oldest); item?.startedAtMs <= untilMs && items.length < most;) {
      items.push(item)
      item = item.newer
    }
    return items
  }
}

/** Open requests and pieces of work. @extends {Linked<Item>} */
class OpenWork extends Linked {
  /** @param {number} most items to search @returns {RequestContext[]} newest first */
  requests (most) {
    return this.newest(most).flatMap((item) => 'kind' in item ? [] : [item])
  }
}

exports.Linked = Linked
exports.OpenWork = OpenWork
