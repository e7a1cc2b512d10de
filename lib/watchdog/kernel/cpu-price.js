'use strict'

const os = require('node:os')
const { cgroupPaths } = require('../../util/cgroup')
const { textOf } = require('../../util/kernel/file')

/** @import { OwnTimes } from '../loop/self-lateness' */

/** Looks older than this no longer count. */
const WINDOW_MS = 3000
/** The least time to look at. In less, one other thread that happens to run would count as a crowd. */
const LEAST_MS = 500
/** The least CPU time to divide by. In less, one wait would decide the price. */
const LEAST_CPU_MS = 5

/** @typedef {{ atMs: number, cpuMs: number, queuedMs: number, crowd: number }} Look */

/**
 * The ms that a thread needs at present for 1 ms of CPU time. A thread that mostly sleeps hardly waits as it wakes,
 * but would in a longer run, so threads that want a CPU count as well, and so does a quota of less than one CPU.
 */
class CpuPrice {
  /** @type {Look[]} */
  #looks = []
  #readTimes
  #readCrowd
  #quotaCpus

  /**
   * @param {() => OwnTimes} readTimes of the thread
   * @param {() => number} [readCrowd] how many threads want a CPU now, for each CPU
   * @param {number} [quotaCpus] of the process
   */
  constructor (readTimes, readCrowd = crowdNow, quotaCpus = quotaNow()) {
    this.#readTimes = readTimes
    this.#readCrowd = readCrowd
    this.#quotaCpus = quotaCpus
  }

  /**
   * Looks, and returns the price of the last seconds, at least 1; null if it has not looked for long enough.
   * @param {number} nowMs
   */
  read (nowMs) {
    const { cpuMs, runQueueMs } = this.#readTimes()
    this.#looks.push({ atMs: nowMs, cpuMs: cpuMs ?? 0, queuedMs: runQueueMs ?? 0, crowd: this.#readCrowd() })
    this.#looks = this.#looks.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS)
    const [first] = this.#looks
    const last = /** @type {Look} */ (this.#looks.at(-1))
    if (nowMs - first.atMs < LEAST_MS) return null
    const ranMs = last.cpuMs - first.cpuMs
    const waited = ranMs < LEAST_CPU_MS ? 1 : 1 + (last.queuedMs - first.queuedMs) / ranMs
    const crowd = this.#looks.reduce((sum, each) => sum + each.crowd, 0) / this.#looks.length
    return Math.max(1, waited, crowd, 1 / this.#quotaCpus)
  }
}

/** CPUs of the machine; counting them takes 50 us each. @type {number | undefined} */
let cpus

/**
 * Linux counts the threads that run or want to, and so the one that asks, which stands for the one that would run.
 * Elsewhere only the average of the last minute is known.
 */
function crowdNow () {
  const [, runnable] = /^\S+ \S+ \S+ (\d+)\//.exec(textOf('/proc/loadavg')) ?? []
  cpus ??= os.cpus().length || 1
  return (runnable === undefined ? os.loadavg()[0] : Number(runnable)) / cpus
}

/** The CPUs that the cgroup may use, Infinity without a limit. */
function quotaNow () {
  const paths = cgroupPaths('cpu', [['cpu.max'], ['cpu.cfs_quota_us', 'cpu.cfs_period_us']])
  const [quota, period] = paths.map(textOf).join(' ').split(/\s+/).map(Number)
  return quota > 0 && period > 0 ? quota / period : Infinity
}

exports.CpuPrice = CpuPrice
