'use strict'

/** The latest blocks, bounded; a block in progress is replaced by its later record. */
class BlockMemory {
  /** @type {Map<string, import('../types').BlockRecord>} */
  #records = new Map()
  #keep
  #onPut

  /** @param {number} keep most blocks kept @param {(record: import('../types').BlockRecord) => void} [onPut] */
  constructor (keep, onPut = () => {}) {
    this.#keep = keep
    this.#onPut = onPut
  }

  /** @param {import('../types').BlockRecord} record */
  put (record) {
    this.#records.set(record.id, record)
    if (this.#records.size > this.#keep) {
      this.#records.delete(/** @type {string} */ (this.#records.keys().next().value))
    }
    this.#onPut(record)
  }

  /** @param {string} id */
  delete (id) {
    this.#records.delete(id)
  }

  /** @param {string} id @returns {import('../types').BlockRecord | undefined} */
  get (id) {
    return this.#records.get(id)
  }

  /** Newest first. */
  list () {
    return [...this.#records.values()].reverse()
  }
}

/**
 * Two lists of records, newest first, as one.
 * @param {import('../types').BlockRecord[]} a
 * @param {import('../types').BlockRecord[]} b
 */
function mergeNewest (a, b) {
  if (b.length === 0) return a
  return [...a, ...b].sort((one, other) => one.startedAt < other.startedAt ? 1 : one.startedAt > other.startedAt ? -1 : 0)
}

exports.BlockMemory = BlockMemory
exports.mergeNewest = mergeNewest
