'use strict'

/** References to collected servers are removed each time this many servers were added. */
const SWEEP = 64

/** The servers that listeners were added to, without keeping them alive. */
class ServerList {
  #known = new WeakSet()
  /** @type {Set<WeakRef<any>>} */
  #refs = new Set()
  #added = 0

  /** Returns whether the server is new. @param {object} server */
  add (server) {
    if (this.#known.has(server)) return false
    this.#known.add(server)
    this.#refs.add(new WeakRef(server))
    if (++this.#added % SWEEP === 0) {
      for (const ref of this.#refs) if (ref.deref() === undefined) this.#refs.delete(ref)
    }
    return true
  }

  get living () {
    return [...this.#refs].map((ref) => ref.deref()).filter((server) => server !== undefined)
  }
}

exports.ServerList = ServerList
