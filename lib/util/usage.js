'use strict'

const fs = require('node:fs')
const { openFile } = require('./files')
const process = require('./process')
const { NS_PER_MS, US_PER_MS } = require('./units')

const SCHEDSTAT = '/proc/thread-self/schedstat'

/** Bound at load, before an application can replace it. Node.js 20 has none. */
const threadCpuUsage =
  /** @type {{ threadCpuUsage?: typeof process.cpuUsage }} */ (process).threadCpuUsage?.bind(process)

/**
 * CPU time of the calling thread; NaN if Node.js does not know it. A call takes 0.5 us of CPU (Linux, Node.js 22.23,
 * 24.21 and 26.10). On Windows it counts in ticks of the clock, 15.6 ms.
 */
exports.threadCpuMs = () => {
  try {
    if (threadCpuUsage === undefined) return NaN
    const { user, system } = threadCpuUsage()
    return (user + system) / US_PER_MS
  } catch {
    // This operating system does not count it by thread.
    return NaN
  }
}

/** Whether Linux shows this thread's CPU time to the watchdog, so that a beat need not spend time on counting it. */
exports.hasSchedstat = () => {
  try {
    return parseInt(fs.readFileSync(SCHEDSTAT, 'latin1'), 10) > 0
  } catch {
    return false
  }
}

/** How long the calling thread has run or waited for a CPU: by Linux's schedstat, which takes 3 us, else by Node.js. */
class RanTime {
  /** @type {number | null | undefined} undefined before the first time */
  #fd
  #buffer = Buffer.alloc(64)

  /** So far; NaN if unknown. */
  read () {
    try {
      this.#fd ??= exports.hasSchedstat() ? openFile(SCHEDSTAT, 'r') : null
      if (this.#fd === null) return exports.threadCpuMs()
      const text = this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0))
      const [cpuNs, waitNs] = text.split(' ')
      return (Number(cpuNs) + Number(waitNs)) / NS_PER_MS
    } catch {
      // Too many files are open, or the application has closed one that it did not open.
      return NaN
    }
  }

  close () {
    try {
      if (this.#fd) fs.closeSync(this.#fd)
    } catch {
      // The application has closed it.
    }
    this.#fd = null
  }
}

/** Resident memory of the process; null if /proc, from which libuv reads it on Linux, is hidden. */
exports.residentBytes = () => {
  try {
    return process.memoryUsage.rss()
  } catch {
    return null
  }
}

exports.RanTime = RanTime
