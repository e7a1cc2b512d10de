'use strict'

// A cache that takes most of the heap, in a process of its own with 256 MB. `here:` as in ../blocks.js.
const { getHeapStatistics } = require('node:v8')

const MB = 1024 * 1024
const CACHE_BYTES = 230 * MB
/** A process with a larger heap has no cache: nothing is asked of this module there. */
const SMALL_BYTES = 300 * MB
const PAGE = 200
/** Most of what a request makes at a time: it fits next to the cache. */
const ROWS = 10000

/** @type {object[]} */
const cache = []

exports.prepare = async () => {
  if (getHeapStatistics().heap_size_limit > SMALL_BYTES) return
  while (process.memoryUsage().heapUsed < CACHE_BYTES) {
    cache.push(Array.from({ length: PAGE }, (_, id) => ({ id, name: `name ${cache.length}`, tags: [id] })))
    // Collections have their turn.
    if (cache.length % PAGE === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

exports.blocks = {
  nearLimit (/** @type {number} */ ms) {
    /** @type {object[]} */
    let rows = []
    const end = performance.now() + ms
    for (let i = 0; performance.now() < end;) {
      for (const next = i + ROWS; i < next; i++) rows.push({ id: i, page: { at: i, tags: [i] } }) // here: nearLimit
      rows = []
    }
    return rows.length + cache.length
  }
}
