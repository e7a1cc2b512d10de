'use strict'

/** @import { Interval } from './self-lateness' */

/** Kernel readings whose distance is this share of the block outweigh those from before and after it. */
const ENOUGH_SHARE = 0.4
/** The time on a CPU is counted at each tick of the scheduler: CONFIG_HZ is 100 at least. */
const LONGEST_TICK_MS = 10

/**
 * @typedef {object} Reading a thread's counters at one moment, each null if the kernel does not report it
 * @property {number} atMs @property {number | null} cpuMs on a CPU so far
 * @property {number | null} runQueueMs runnable, waiting for a CPU
 * @property {number | null} throttledMs its cgroup was out of CPU quota
 * @property {boolean} [isRunnable] it ran or waited for a CPU at that moment; read only when a beat is overdue
 * @property {number | null} stolenMs a hypervisor ran others on the thread's CPU; read only when a beat is overdue
 * @property {number | null} [machineIdleMs] of all CPUs together; read only if `runQueueMs` is unknown
 * @property {number | null} [preemptions] of the process's threads; read only if `runQueueMs` is unknown
 * @typedef {Interval & { durationMs: number }} TimedInterval
 * @typedef {'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs' | 'machineIdleMs' | 'preemptions'} Counter
 */

/** Readings of one block that are kept: of a longer one every second, every fourth… */
const READINGS = 256

/** Readings around and within one block. Counters only grow, so a figure is the difference of two. */
class KernelEvidence {
  #before
  /** @type {Reading[]} */
  #within = []
  #skipped = 0
  #everyNth = 1
  /** The first within the block. @type {Reading | null} */
  #first = null
  /** The last within the block; until there is one, the last before it. */
  #last
  /** From here on the thread may have waited for a CPU, which the kernel counts when the wait ends. */
  #uncountedFromMs

  /** @param {Reading} before the last one before the block */
  constructor (before) {
    this.#before = before
    this.#last = before
    this.#uncountedFromMs = before.atMs
  }

  /** @param {Reading} reading taken within the block */
  add (reading) {
    const { atMs, cpuMs, runQueueMs, isRunnable } = reading
    const countedMs = Number(cpuMs) - Number(this.#last.cpuMs) + Number(runQueueMs) - Number(this.#last.runQueueMs)
    if (!isRunnable) this.#uncountedFromMs = atMs
    else if (countedMs > 0) this.#uncountedFromMs = this.#last.atMs + countedMs
    this.#first ??= reading
    this.#last = reading
    if (++this.#skipped < this.#everyNth) return
    this.#skipped = 0
    this.#within.push(reading)
    if (this.#within.length < READINGS) return
    this.#within = this.#within.filter((_, i) => i % 2 === 1)
    this.#everyNth *= 2
  }

  /**
   * CPU time and waits for a CPU in parts of the block; null if the kernel does not report them.
   * @param {Interval[]} parts @param {number} startMs of the block @param {Reading} [after] the first one after it
   */
  spentIn (parts, startMs, after = this.#last) {
    const before = { ...this.#before, atMs: Math.max(this.#before.atMs, startMs) }
    const readings = [before, ...this.#within, after]
    if (readings.some(({ cpuMs, runQueueMs }) => cpuMs === null || runQueueMs === null)) return null
    const sum = (/** @type {'cpuMs' | 'runQueueMs'} */ counter) => parts.reduce((ms, part) =>
      ms + countedAt(readings, counter, part.endMs) - countedAt(readings, counter, part.startMs), 0)
    return { cpuMs: sum('cpuMs'), waitedMs: sum('runQueueMs') }
  }

  /** The time of the first reading within the block, Infinity without one. */
  get firstAtMs () {
    return this.#first?.atMs ?? Infinity
  }

  /** The wait for a CPU until the first reading within the block, 0 if unknown. */
  get waitedBeforeMs () {
    return Math.max(0, (this.#first?.runQueueMs ?? 0) - (this.#before.runQueueMs ?? this.#first?.runQueueMs ?? 0))
  }

  /** @param {TimedInterval} interval so far @param {number | null} ownCpuMs counted by the thread itself */
  ongoing (interval, ownCpuMs) {
    const { startMs, durationMs } = interval
    const figures = this.#figures(interval, this.#last, ownCpuMs)
    const uncountedMs = this.#last.atMs - Math.max(startMs, this.#uncountedFromMs)
    if (figures.runQueueMs === null || uncountedMs <= LONGEST_TICK_MS) return figures
    return { ...figures, runQueueMs: Math.min(durationMs, figures.runQueueMs + uncountedMs) }
  }

  /**
   * @param {TimedInterval} interval @param {Reading} after the first one after the block
   * @param {number | null} ownCpuMs counted by the thread itself, used if the kernel does not report it
   */
  ended (interval, after, ownCpuMs) {
    const { endMs, durationMs } = interval
    const coveredMs = endMs - this.#before.atMs
    if (coveredMs >= durationMs) return this.#figures(interval, after, ownCpuMs)
    // The watchdog started after the block did. What it saw stands for the whole block if that was enough.
    // The time after the block must not count.
    if (coveredMs < ENOUGH_SHARE * durationMs) {
      this.#before = { ...this.#before, cpuMs: null, runQueueMs: null, throttledMs: null }
    }
    return this.#figures(interval, { ...after, atMs: Math.min(after.atMs, endMs) }, ownCpuMs)
  }

  /** @param {TimedInterval} interval @param {Reading} after @param {number | null} ownCpuMs */
  #figures ({ startMs, durationMs }, after, ownCpuMs) {
    const [before, first, last] = [this.#before, this.#first, this.#last]
    // Two readings within the block give its CPU time undisturbed by the time before and after. A short block has no
    // two readings far enough apart.
    const isLong = first !== null && last.atMs - first.atMs >= ENOUGH_SHARE * durationMs
    const cpuMs = spent(isLong ? first : before, isLong ? last : after, 'cpuMs', durationMs) ?? ownCpuMs
    const runQueueMs = spent(before, after, 'runQueueMs', durationMs)
    const throttledMs = this.#throttledMs(startMs, durationMs, after)
    // Some kernels count stolen time as CPU time, and another thread's does not count here. So at most what nothing
    // else explains was stolen.
    const unexplainedMs = durationMs - (cpuMs ?? durationMs) - (runQueueMs ?? throttledMs ?? 0)
    const stolenMs = this.#sinceFirstMs('stolenMs', durationMs, after)
    return {
      cpuMs,
      runQueueMs,
      throttledMs,
      stolenMs: stolenMs === null ? null : Math.max(0, Math.min(stolenMs, unexplainedMs)),
      machineIdleMs: this.#sinceFirstMs('machineIdleMs', durationMs, after),
      preemptions: spent(before, after, 'preemptions', durationMs)
    }
  }

  /**
   * The last figure before the block may be a quarter of a second older than it (watchdog/kernel/throttling.js). So of
   * the time before the first reading in the block, at most the block's own part counts.
   * @param {number} startMs @param {number} durationMs @param {Reading} after
   */
  #throttledMs (startMs, durationMs, after) {
    const most = spent(this.#before, after, 'throttledMs', durationMs)
    const first = this.#first
    if (most === null || first === null || first.throttledMs === null || after.throttledMs === null) return most
    return Math.min(most, after.throttledMs - first.throttledMs + Math.max(0, first.atMs - startMs))
  }

  /**
   * For counters that are read only from the first overdue beat on; null if that beat was too late in the block.
   * @param {'stolenMs' | 'machineIdleMs'} counter @param {number} durationMs @param {Reading} after
   */
  #sinceFirstMs (counter, durationMs, after) {
    if (this.#first === null || after.atMs - this.#first.atMs < ENOUGH_SHARE * durationMs) return null
    return spent(this.#first, after, counter, durationMs)
  }
}

/**
 * A counter at a moment, between two readings.
 * @param {Reading[]} readings @param {'cpuMs' | 'runQueueMs'} counter @param {number} atMs
 */
function countedAt (readings, counter, atMs) {
  const next = readings.findIndex((reading) => reading.atMs >= atMs)
  const to = readings.at(next) ?? readings[0]
  const from = readings[next - 1] ?? (next === 0 ? to : readings[readings.length - 1])
  const [start, end] = [Number(from[counter]), Number(to[counter])]
  return to.atMs <= from.atMs ? end : start + (end - start) * (atMs - from.atMs) / (to.atMs - from.atMs)
}

/**
 * The difference of two readings around the block. If they are closer together than the block is long (the last one
 * before it may be in its first milliseconds), they stand for all of it.
 * @param {Reading} from @param {Reading} to @param {Counter} counter @param {number} durationMs
 */
function spent (from, to, counter, durationMs) {
  const { [counter]: start = null } = from
  const { [counter]: end = null } = to
  if (start === null || end === null || to.atMs <= from.atMs) return null
  return Math.min(durationMs, (end - start) * Math.max(1, durationMs / (to.atMs - from.atMs)))
}

exports.KernelEvidence = KernelEvidence
