'use strict'

/**
 * Reading cpu.stat has the kernel add up the statistics of the cgroup over all CPUs (rstat), under a lock of the
 * whole machine: with hundreds of cgroups the dearest thing that a look can do. So a calm look takes the last
 * figure where that is this young,
 */
const CALM_MS = 250
/** unless the cgroup was throttled lately: what came before a block would count as of the block. */
const LATELY_MS = 2000

/** How long the process's cgroup was out of CPU quota so far, read as seldom as no verdict notices. */
class Throttling {
  #readFile
  /** @type {number | null} */
  #throttledMs = null
  #readAtMs = -Infinity
  #grownAtMs = -Infinity

  /** @param {() => number | null} readFile null where it is not known */
  constructor (readFile) {
    this.#readFile = readFile
  }

  /** Of now, or of a quarter of a second ago where that was the same for two seconds. @param {number} nowMs */
  glance (nowMs) {
    const isCalm = nowMs - this.#readAtMs < CALM_MS && nowMs - this.#grownAtMs >= LATELY_MS
    return isCalm ? this.#throttledMs : this.read(nowMs)
  }

  /** Of now; read once a look, whoever asks. @param {number} nowMs */
  read (nowMs) {
    if (nowMs === this.#readAtMs) return this.#throttledMs
    const throttledMs = this.#readFile()
    if (throttledMs !== this.#throttledMs && this.#throttledMs !== null) this.#grownAtMs = nowMs
    this.#throttledMs = throttledMs
    this.#readAtMs = nowMs
    return throttledMs
  }
}

exports.CALM_MS = CALM_MS
exports.LATELY_MS = LATELY_MS
exports.Throttling = Throttling
