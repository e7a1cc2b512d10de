'use strict'

const { KernelFile, NOWHERE } = require('./file')
const { cgroupPaths } = require('../../util/cgroup')
const { NS_PER_MS, US_PER_MS } = require('../../util/units')

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
  const file = new KernelFile(cgroupPaths('cpu', [['cpu.stat']])[0] ?? NOWHERE)
  return new Throttling(() => throttledOf(file.read()), () => file.close())
}

/** @param {string | null} cpuStat of cgroups version 2 or 1 */
function throttledOf (cpuStat) {
  if (cpuStat === null) return null
  const v2 = /^throttled_usec (\d+)/m.exec(cpuStat)
  if (v2) return Number(v2[1]) / US_PER_MS
  const v1 = /^throttled_time (\d+)/m.exec(cpuStat)
  return v1 ? Number(v1[1]) / NS_PER_MS : null
}

exports.CALM_MS = CALM_MS
exports.LATELY_MS = LATELY_MS
exports.Throttling = Throttling
exports.openThrottling = openThrottling
