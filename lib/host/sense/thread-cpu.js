'use strict'

const fs = require('node:fs')
const { openFile } = require('../../util/files')
const process = require('../../util/process')
const { NS_PER_MS, US_PER_MS } = require('../../util/units')

const SCHEDSTAT = '/proc/thread-self/schedstat'

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
    return parseInt(fs.readFileSync(SCHEDSTAT, 'latin1'), 10) > 0
  } catch {
    return false
  }
}

/**
 * How long the calling thread has run, and has waited for a CPU to do so: by the file of Linux that tells, which takes
 * 3 us, else by what Node.js tells.
 */
class RanTime {
  /** @type {number | null | undefined} undefined before the first time */
  #fd
  #buffer = Buffer.alloc(64)
  #lastMs = NaN

  /** Since the last time; null the first time, and where it is not known. @returns {number | null} ms */
  take () {
    const beforeMs = this.#lastMs
    this.#lastMs = this.#read()
    return Number.isNaN(this.#lastMs - beforeMs) ? null : this.#lastMs - beforeMs
  }

  #read () {
    try {
      this.#fd ??= exports.isToldByKernel() ? openFile(SCHEDSTAT, 'r') : null
      if (this.#fd === null) return exports.threadCpuMs()
      const text = this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0))
      const [cpuNs, waitNs] = text.split(' ')
      return (Number(cpuNs) + Number(waitNs)) / NS_PER_MS
    } catch {
      // One file too many, or an application that closes what it did not open.
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

exports.RanTime = RanTime
