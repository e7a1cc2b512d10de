'use strict'

/** @typedef {import('./context').RequestContext} RequestContext */

/** The open requests of the process, as a list through the requests themselves: one is added and taken off for each. */
class OpenRequests {
  /** @type {RequestContext | null} */
  #newest = null

  /** @param {RequestContext} context */
  add (context) {
    context.older = this.#newest
    if (this.#newest !== null) this.#newest.newer = context
    this.#newest = context
  }

  /** @param {RequestContext} context */
  remove (context) {
    const { older, newer } = context
    if (newer !== null) newer.older = older
    else if (this.#newest === context) this.#newest = older
    if (older !== null) older.newer = newer
    context.older = context.newer = null
  }

  /** The newest ones. @param {number} most @returns {RequestContext[]} newest first */
  newest (most) {
    const found = []
    for (let context = this.#newest; context !== null && found.length < most; context = context.older) {
      found.push(context)
    }
    return found
  }
}

exports.OpenRequests = OpenRequests
