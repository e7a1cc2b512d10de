'use strict'

const { nowMs } = require('../../util/clock')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { HeapSlots } from '../../bridge/memory'
 * @import { HeapProfileRecord, HeapReading as Heap, MemoryReading, MemoryRecord } from '../../types'
 * @import { MemoryStats } from '../kernel/memory-stats'
 */

/** If a full collection leaves this share in use, V8 collects again and again: what it frees does not last. */
const FULL_SHARE = 0.8

/**
 * @typedef {object} HeapRange use of the heap in a block
 * @property {Heap} first @property {Heap} last @property {number} elapsedMs between them
 * @property {number} mostBytes in use @property {number} leastBytes in use afterwards
 */

/** @param {HeapRange | null} range @param {Heap} heap @param {number} elapsedMs since the first @returns {HeapRange} */
function withHeap (range, heap, elapsedMs) {
  const { usedBytes } = heap
  if (range === null) return { first: heap, last: heap, elapsedMs: 0, mostBytes: usedBytes, leastBytes: usedBytes }
  const isMost = usedBytes > range.mostBytes
  return {
    first: range.first,
    last: heap,
    elapsedMs,
    mostBytes: isMost ? usedBytes : range.mostBytes,
    leastBytes: isMost ? usedBytes : Math.min(range.leastBytes, usedBytes)
  }
}

/**
 * @param {HeapRange | null} heap null if the host has not reported it
 * @param {MemoryReading | null} from of the system, null if it was first read at the end of the block
 * @param {MemoryReading} to @param {boolean} isCollected the whole heap was collected meanwhile @returns {MemoryRecord}
 */
function memoryOf (heap, from, to, isCollected) {
  const grown = (/** @type {'majorFaults' | 'memoryStallMs' | 'ioStallMs'} */ field) => {
    const [start, end] = [from?.[field] ?? null, to[field]]
    return start === null || end === null ? null : Math.max(0, Math.round(end - start))
  }
  return {
    ...(heap !== null && heapRecord(heap, isCollected)),
    rssBytes: to.rssBytes,
    cgroupBytes: to.cgroupBytes,
    cgroupLimitBytes: to.cgroupLimitBytes,
    majorFaults: grown('majorFaults'),
    memoryStallMs: grown('memoryStallMs'),
    ioStallMs: grown('ioStallMs')
  }
}

/** @param {HeapRange} range @param {boolean} isCollected */
function heapRecord ({ first, last, elapsedMs, mostBytes, leastBytes }, isCollected) {
  const hasRate = first.allocatedBytes !== null && last.allocatedBytes !== null && elapsedMs > 0
  const allocatedBytes = hasRate ? Number(last.allocatedBytes) - Number(first.allocatedBytes) : null
  return {
    heapUsedBytes: mostBytes,
    heapFreedBytes: mostBytes - leastBytes,
    heapLimitBytes: last.limitBytes,
    externalBytes: last.externalBytes,
    allocatedBytesPerSecond: allocatedBytes === null ? null : Math.round(allocatedBytes * MS_PER_S / elapsedMs),
    isHeapFull: isCollected && leastBytes >= FULL_SHARE * last.limitBytes
  }
}

/** The memory of the process in one block. */
class MemoryUse {
  /** @type {HeapRange | null} */
  #heap = null
  #heapFromMs = 0
  /** @type {MemoryReading | null} */
  #from = null
  #slots
  #stats
  #heapProfile
  /** The system's, at the end of the block. @type {MemoryReading | null} */
  #to = null

  /**
   * @param {Pick<HeapSlots, 'read'>} slots @param {Pick<MemoryStats, 'read'>} stats
   * @param {() => HeapProfileRecord | null} [heapProfile] the latest
   */
  constructor (slots, stats, heapProfile = () => null) {
    this.#slots = slots
    this.#stats = stats
    this.#heapProfile = heapProfile
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
    const heapProfile = this.#heapProfile()
    const memory = memoryOf(this.#heap, this.#from, this.#to ?? this.#stats.read(), isCollected)
    return heapProfile === null ? memory : { ...memory, heapProfile }
  }
}

exports.MemoryUse = MemoryUse
exports.memoryOf = memoryOf
exports.withHeap = withHeap
