'use strict'

const { KernelFile } = require('../../util/kernel/file')
const { cpuStatPath, throttledIn } = require('../../util/cgroup')

/**
 * While all is calm, a figure may be this old. For cpu.stat the kernel sums the cgroup's statistics over all CPUs
 * (rstat) under a machine-wide lock: with hundreds of cgroups it is the most expensive part of a poll.
 */
const CALM_MS = 250
/** After recent throttling each poll reads the file, or a block would include throttling before it. */
const LATELY_MS = 2000

/** Time for which the process's cgroup was out of CPU quota, read as rarely as the verdicts allow. */
class Throttling {
  #readFile
  #closeFile
  /** @type {number | null} */
  #throttledMs = null
  #readAtMs = -Infinity
  #grownAtMs = -Infinity

  /** @param {() => number | null} readFile null = unknown @param {() => void} [closeFile] */
  constructor (readFile, closeFile = () => {}) {
    this.#readFile = readFile
    this.#closeFile = closeFile
  }

  /** At most 250 ms old if it has been the same for two seconds. @param {number} nowMs */
  recent (nowMs) {
    const isCalm = nowMs - this.#readAtMs < CALM_MS && nowMs - this.#grownAtMs >= LATELY_MS
    return isCalm ? this.#throttledMs : this.read(nowMs)
  }

  /** A poll reads the file once for all threads. @param {number} nowMs */
  read (nowMs) {
    if (nowMs === this.#readAtMs) return this.#throttledMs
    const throttledMs = this.#readFile()
    if (throttledMs !== this.#throttledMs && this.#throttledMs !== null) this.#grownAtMs = nowMs
    this.#throttledMs = throttledMs
    this.#readAtMs = nowMs
    return throttledMs
  }

  close () {
    this.#closeFile()
  }
}

function openThrottling () {
  const file = new KernelFile(cpuStatPath())
  return new Throttling(() => throttledIn(file.read()), () => file.close())
}

exports.CALM_MS = CALM_MS
exports.LATELY_MS = LATELY_MS
exports.Throttling = Throttling
exports.openThrottling = openThrottling
