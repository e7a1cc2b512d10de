'use strict'

const { memoryOf, withHeap } = require('../../explain/memory')
const { nowMs } = require('../../util/clock')

/** Follows the memory of one block. */
class BlockMemory {
  /** @type {import('../../explain/memory').HeapSeen | null} */
  #heap = null
  #heapFromMs = 0
  /** @type {import('../../types').MemoryReading | null} */
  #from = null
  #slots
  #stats
  /** @type {import('../../types').MemoryRecord | null} */
  #final = null

  /**
   * @param {Pick<import('../../bridge/heap-slots').HeapSlots, 'read'>} slots
   * @param {Pick<import('../kernel/memory-stats').MemoryStats, 'read'>} stats
   */
  constructor (slots, stats) {
    this.#slots = slots
    this.#stats = stats
  }

  /** It is certainly a block, and still lasts. */
  begin () {
    this.#from = this.#stats.read()
  }

  /** The host has just reported its heap. */
  sample () {
    const heap = this.#slots.read()
    if (heap === null) return
    const atMs = nowMs()
    if (this.#heap === null) this.#heapFromMs = atMs
    this.#heap = withHeap(this.#heap, heap, atMs - this.#heapFromMs)
  }

  /** @param {boolean} isOver the figures of the first time that it is are final */
  record (isOver) {
    if (this.#final !== null) return this.#final
    if (isOver) this.sample()
    const record = memoryOf(this.#heap, this.#from, this.#stats.read())
    if (isOver) this.#final = record
    return record
  }
}

exports.BlockMemory = BlockMemory
