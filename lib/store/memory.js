'use strict'

/** @import { BlockRecord } from '../types' */

/** The latest blocks. A later record of a block replaces the earlier one. */
class BlockMemory {
  /** @type {Map<string, BlockRecord>} */
  #records = new Map()
  #keep

  /** @param {number} keep most blocks kept */
  constructor (keep) {
    this.#keep = keep
  }

  /** @param {BlockRecord} record */
  put (record) {
    this.#records.set(record.id, record)
    if (this.#records.size > this.#keep) {
      this.#records.delete(/** @type {string} */ (this.#records.keys().next().value))
    }
  }

  /** @param {string} id */
  delete (id) {
    this.#records.delete(id)
  }

  /** @param {string} id */
  get (id) {
    return this.#records.get(id)
  }

  /** Newest first, with blocks in progress, which are not stored. @param {BlockRecord[]} [ongoing] oldest first */
  list (ongoing = []) {
    const now = new Map(ongoing.map((record) => [record.id, record]))
    const fresh = ongoing.filter(({ id }) => !this.#records.has(id))
    const kept = [...this.#records.values()].map((record) => now.get(record.id) ?? record)
    return [...kept, ...fresh].slice(-this.#keep).reverse()
  }
}

/** Merges two lists of records, newest first. @param {BlockRecord[]} a @param {BlockRecord[]} b */
function mergeNewest (a, b) {
  if (b.length === 0) return a
  return [...a, ...b].sort((one, other) => {
    if (one.startedAt === other.startedAt) return 0
    return one.startedAt < other.startedAt ? 1 : -1
  })
}

exports.BlockMemory = BlockMemory
exports.mergeNewest = mergeNewest
