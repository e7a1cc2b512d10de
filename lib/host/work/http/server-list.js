'use strict'

/** So often what the garbage collector has taken is swept out. */
const SWEEP = 64

/** The servers that listeners were added to, without keeping them alive. */
class ServerList {
  #known = new WeakSet()
  /** @type {Set<WeakRef<any>>} */
  #refs = new Set()
  #added = 0

  /** Whether it is new. @param {object} server */
  add (server) {
    if (this.#known.has(server)) return false
    this.#known.add(server)
    this.#refs.add(new WeakRef(server))
    if (++this.#added % SWEEP === 0) {
      for (const ref of this.#refs) if (ref.deref() === undefined) this.#refs.delete(ref)
    }
    return true
  }

  /** Those that still live. @returns {any[]} */
  get living () {
    return [...this.#refs].map((ref) => ref.deref()).filter((server) => server !== undefined)
  }
}

exports.ServerList = ServerList
