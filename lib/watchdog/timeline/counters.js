'use strict'

const { residentBytes } = require('../../util/resident-memory')

const BYTES_PER_MB = 1024 * 1024

/** @param {number | null} bytes */
const inMb = (bytes) => bytes === null ? null : bytes / BYTES_PER_MB

/**
 * @typedef {Record<string, number | null>} Values by what the counter's lines are called
 * @typedef {{ name: string, of: (second: import('../page-feed/history').Second) => Values }} Kept from the history
 * @typedef {Pick<import('../../bridge/memory').Bridge, 'heap' | 'counters'>} Told by the host
 * @typedef {{ name: string, read: (told: Told) => Values }} Sampled once a second, on this thread
 */

/** @param {import('../../types').HeapReading | null} heap as the host last reported it @returns {Values} */
const heapOf = (heap) => heap === null
  ? { used: null, external: null }
  : { used: heap.usedBytes / BYTES_PER_MB, external: heap.externalBytes / BYTES_PER_MB }

/** A row each: `of` takes it from the page's history, `read` is called each second. @type {(Kept | Sampled)[]} */
exports.counters = [
  { name: 'loop delay (ms)', of: ({ delayMax, delayP99, delayP50 }) => ({ max: delayMax, p99: delayP99, p50: delayP50 }) },
  { name: 'loop utilization (%)', of: ({ utilization }) => ({ utilization: utilization === null ? null : utilization * 100 }) },
  { name: 'requests per second', of: ({ requests }) => ({ requests }) },
  { name: 'request latency (ms)', of: ({ latencyP99, latencyP50 }) => ({ p99: latencyP99, p50: latencyP50 }) },
  { name: 'heap (MB)', read: ({ heap }) => heapOf(heap.read()) },
  { name: 'wait for the thread pool (ms)', read: ({ counters }) => ({ wait: counters.poolDelayMs }) },
  { name: 'resident memory (MB)', read: () => ({ resident: inMb(residentBytes()) }) }
]
