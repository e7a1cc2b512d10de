'use strict'

const { variable } = require('../../options/environment')
const process = require('../../util/process')

/** libuv's own number of threads, and the most that it takes. */
const THREADS = 4
const MOST_THREADS = 1024

/** What this process waits for, by type of resource, and the size of its thread pool. Never throws. */
exports.activeResources = () => {
  /** @type {Record<string, number>} */
  const counts = {}
  try {
    for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1
  } catch {
    // The application has replaced what Node.js uses for it.
  }
  const size = Number.parseInt(variable('UV_THREADPOOL_SIZE') ?? '', 10)
  return { counts, threads: size > 0 ? Math.min(size, MOST_THREADS) : THREADS }
}
