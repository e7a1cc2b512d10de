'use strict'

const { memoryOf, withHeap } = require('../../explain/memory')
const { nowMs } = require('../../util/clock')

/**
 * @import { HeapSlots } from '../../bridge/memory'
 * @import { HeapRange } from '../../explain/memory'
 * @import { MemoryReading } from '../../types'
 * @import { MemoryStats } from '../kernel/memory-stats'
 */

class BlockMemory {
  /** @type {HeapRange | null} */
  #heap = null
  #heapFromMs = 0
  /** @type {MemoryReading | null} */
  #from = null
  #slots
  #stats
  /** The system's, at the end of the block. @type {MemoryReading | null} */
  #to = null

  /**
   * @param {Pick<HeapSlots, 'read'>} slots
   * @param {Pick<MemoryStats, 'read'>} stats
   */
  constructor (slots, stats) {
    this.#slots = slots
    this.#stats = stats
  }

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

  /**
   * @param {boolean} isOver true for the first time: these figures are final
   * @param {boolean} isCollected the whole heap was collected in the block, as far as that is known
   */
  record (isOver, isCollected) {
    if (isOver && this.#to === null) {
      this.sample()
      this.#to = this.#stats.read()
    }
    return memoryOf(this.#heap, this.#from, this.#to ?? this.#stats.read(), isCollected)
  }
}

exports.BlockMemory = BlockMemory
