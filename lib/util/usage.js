'use strict'

const fs = require('node:fs')
const { openFile } = require('./files')
const process = require('./process')
const { NS_PER_MS, US_PER_MS } = require('./units')

const SCHEDSTAT = '/proc/thread-self/schedstat'

/** An application may replace the method, so it is bound at load. Undefined on Node.js 20. */
const threadCpuUsage =
  /** @type {{ threadCpuUsage?: typeof process.cpuUsage }} */ (process).threadCpuUsage?.bind(process)

/**
 * CPU time of the calling thread, read in 0.5 us (Linux, 22.23 to 26.10); NaN if it is unknown. Windows counts in ticks
 * of 15.6 ms.
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

/** Whether the watchdog can read this thread's CPU time, so that beats need not. */
exports.hasSchedstat = () => {
  try {
    return parseInt(fs.readFileSync(SCHEDSTAT, 'latin1'), 10) > 0
  } catch {
    return false
  }
}

/** Time that the calling thread has run or waited for a CPU, from Linux's schedstat (3 us), else from Node.js. */
class RanTime {
  /** @type {number | null | undefined} undefined before the first time */
  #fd
  #buffer = Buffer.alloc(64)

  /** Milliseconds so far; NaN if unknown. */
  read () {
    try {
      this.#fd ??= exports.hasSchedstat() ? openFile(SCHEDSTAT, 'r') : null
      if (this.#fd === null) return exports.threadCpuMs()
      const text = this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0))
      const [cpuNs, waitNs] = text.split(' ')
      return (Number(cpuNs) + Number(waitNs)) / NS_PER_MS
    } catch {
      // Too many files are open, or the application has closed this one.
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
