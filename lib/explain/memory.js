'use strict'

const { MS_PER_S } = require('../util/units')

/** @import { HeapReading as Heap, MemoryReading, MemoryRecord } from '../types' */

/** If a full collection leaves this share in use, V8 collects again and again: what it frees does not last. */
const FULL_SHARE = 0.8
/** If collections have this share of a block, they are its reason. */
exports.STORM_SHARE = 0.4

/**
 * @typedef {object} HeapRange what was seen of the heap in a block
 * @property {Heap} first @property {Heap} last
 * @property {number} elapsedMs between them
 * @property {number} mostBytes in use @property {number} leastBytes in use afterwards
 */

/** @param {HeapRange | null} seen @param {Heap} heap @param {number} elapsedMs since the first @returns {HeapRange} */
exports.withHeap = (seen, heap, elapsedMs) => {
  const { usedBytes } = heap
  if (seen === null) return { first: heap, last: heap, elapsedMs: 0, mostBytes: usedBytes, leastBytes: usedBytes }
  const isMost = usedBytes > seen.mostBytes
  return {
    first: seen.first,
    last: heap,
    elapsedMs,
    mostBytes: isMost ? usedBytes : seen.mostBytes,
    leastBytes: isMost ? usedBytes : Math.min(seen.leastBytes, usedBytes)
  }
}

/**
 * @param {HeapRange | null} heap null if the host has not reported it
 * @param {MemoryReading | null} from of the system, null if it was first read at the end of the block
 * @param {MemoryReading} to @param {boolean} isCollected the whole heap was collected meanwhile @returns {MemoryRecord}
 */
exports.memoryOf = (heap, from, to, isCollected) => {
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

/** @param {HeapRange} seen @param {boolean} isCollected */
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
