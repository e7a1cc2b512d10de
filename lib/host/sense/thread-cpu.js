'use strict'

const fs = require('node:fs')
const process = require('../../util/process')
const { US_PER_MS } = require('../../util/units')

/** Bound at load, before an application makes something else of it. Node.js 20 has none. */
const threadCpuUsage =
  /** @type {{ threadCpuUsage?: typeof process.cpuUsage }} */ (process).threadCpuUsage?.bind(process)

/**
 * CPU time of the calling thread so far; NaN where Node.js does not tell. A call takes 0.5 us of CPU (Linux, Node.js
 * 22.23, 24.21 and 26.10). On Windows it counts in ticks of the clock, 15.6 ms.
 * @returns {number} ms
 */
exports.threadCpuMs = () => {
  try {
    if (threadCpuUsage === undefined) return NaN
    const { user, system } = threadCpuUsage()
    return (user + system) / US_PER_MS
  } catch {
    // An operating system that counts no thread's.
    return NaN
  }
}

/**
 * Whether Linux tells the watchdog the CPU time of this thread: it is then not spent at each beat to count it as well.
 */
exports.isToldByKernel = () => {
  try {
    return parseInt(fs.readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) > 0
  } catch {
    return false
  }
}
