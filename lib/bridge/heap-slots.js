'use strict'

const SLOTS = 4

/** The heap of the host as it last reported it, in shared memory. */
class HeapSlots {
  static BYTES = SLOTS * Float64Array.BYTES_PER_ELEMENT

  #slots

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 8 */
  constructor (memory, offset) {
    this.#slots = new Float64Array(memory, offset, SLOTS)
  }

  /** @param {import('../types').HeapReading} heap */
  write ({ usedBytes, limitBytes, externalBytes, allocatedBytes }) {
    this.#slots[0] = usedBytes
    this.#slots[1] = limitBytes
    this.#slots[2] = externalBytes
    this.#slots[3] = allocatedBytes ?? 0
  }

  /** Null if nothing has been reported yet. @returns {import('../types').HeapReading | null} */
  read () {
    const [usedBytes, limitBytes, externalBytes, allocatedBytes] = this.#slots
    if (limitBytes === 0) return null
    return { usedBytes, limitBytes, externalBytes, allocatedBytes: allocatedBytes === 0 ? null : allocatedBytes }
  }
}

exports.HeapSlots = HeapSlots
