'use strict'

/** The latest blocks, bounded; a block in progress is replaced by its later record. */
class BlockMemory {
  /** @type {Map<string, import('./record').BlockRecord>} */
  #records = new Map()
  #keep

  /** @param {number} keep most blocks kept */
  constructor (keep) {
    this.#keep = keep
  }

  /** @param {import('./record').BlockRecord} record */
  put (record) {
    this.#records.set(record.id, record)
    if (this.#records.size > this.#keep) {
      this.#records.delete(/** @type {string} */ (this.#records.keys().next().value))
    }
  }

  /** @param {string} id @returns {import('./record').BlockRecord | undefined} */
  get (id) {
    return this.#records.get(id)
  }

  /** Newest first. */
  list () {
    return [...this.#records.values()].reverse()
  }
}

exports.BlockMemory = BlockMemory
