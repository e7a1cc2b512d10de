'use strict'

const { existsSync } = require('node:fs')
const os = require('node:os')
const { KernelFile, schedIn, statOf, TASKS } = require('../../util/kernel/file')
const { NOWHERE } = require('../../util/cgroup')
const { EpollSleepProbe } = require('./epoll-sleep-probe')
const { MemoryStats } = require('./memory-stats')
const { SystemCallReader } = require('../../util/kernel/system-call-reader')
const { MachineSteal, Steal } = require('./steal')
const { openThrottling } = require('./throttling')
const { MS_PER_S, MS_PER_TICK } = require('../../util/units')

/**
 * @import { Counters } from '../../bridge/counters'
 * @import { Reading } from '../loop/kernel-evidence'
 * @import { Throttling } from './throttling'
 */

/** The calling thread: the kernel resolves this name when the file is opened. */
const CALLER = '/proc/thread-self'
/** State of a thread that runs or waits for a CPU. */
const RUNNABLE = 'R'

/**
 * @typedef {object} Shared what all threads of a process share
 * @property {Pick<Throttling, 'recent' | 'read' | 'close'>} throttling
 * @property {Pick<MachineSteal, 'of' | 'close'>} machineSteal
 */

exports.openStats = () => {
  /** @type {Shared} */
  const shared = { throttling: openThrottling(), machineSteal: new MachineSteal() }
  // The main thread's id is the process's.
  const host = new ThreadStats(shared, process.pid)
  const own = new ThreadStats(shared, 'caller')
  const sight = new EpollSleepProbe()
  const memory = new MemoryStats()
  const calls = new SystemCallReader()
  const hasSchedstat = host.read(0).runQueueMs !== null
  const parts = [host, own, sight, memory, calls, shared.throttling, shared.machineSteal]
  const close = () => { for (const part of parts) part.close() }
  return { shared, host, own, sight, memory, calls, hasSchedstat, close }
}

/**
 * Linux figures of one thread: time on a CPU and waiting for one (schedstat), CPU time by mode (stat), how often it
 * slept (status). Elsewhere all are null, except for the CPU time of a worker thread if the main thread counts it.
 */
class ThreadStats {
  #counters
  #shared
  #folder
  #schedstat
  #stat
  /** Opened on first use: only worker threads need it. @type {KernelFile | null} */
  #status = null
  #steal
  #hasRun = false
  /** Whether the thread has ended. If the kernel reuses its id, the open files do not show the new thread. */
  isGone

  /**
   * @param {Shared} shared @param {number | 'caller' | null} tid of the thread in the kernel, null if unknown
   * @param {Pick<Counters, 'get'>} [counters] of its CPU time, used without a tid
   */
  constructor (shared, tid, counters) {
    this.#shared = shared
    this.#counters = tid === null ? counters : undefined
    this.#folder = tid === 'caller' ? CALLER : tid === null ? NOWHERE : `${TASKS}/${tid}`
    // The folder decides, not its files: the kernel may lack a file, or the process may have too many open.
    this.isGone = tid !== null && existsSync(TASKS) && !existsSync(this.#folder)
    this.#schedstat = new KernelFile(`${this.#folder}/schedstat`)
    this.#stat = new KernelFile(`${this.#folder}/stat`)
    this.#steal = new Steal(shared.machineSteal)
  }

  /** While calm: throttling may be 250 ms old, steal time is not read. @param {number} nowMs @returns {Reading} */
  read (nowMs) {
    const text = this.#schedstat.read()
    this.isGone ||= this.#hasRun && text === null
    this.#hasRun ||= text !== null
    const cpuMs = this.#countedMs('userMs') + this.#countedMs('systemMs')
    const sched = schedIn(text)
    return {
      atMs: nowMs,
      ...sched,
      ...(sched.runQueueMs === null && { preemptions: preemptions() }),
      ...(cpuMs > 0 && { cpuMs }),
      throttledMs: this.#shared.throttling.recent(nowMs),
      stolenMs: null
    }
  }

  /** The reading by which a block is judged. @param {Reading} reading of this moment @returns {Reading} */
  precise (reading) {
    const stat = this.#stat.read()
    return {
      ...reading,
      isRunnable: isRunnable(stat),
      // The idle time is the slowest to read, so it is read only if the kernel has no run queue time.
      ...(reading.runQueueMs === null && { machineIdleMs: machineIdleMs() }),
      throttledMs: this.#shared.throttling.read(reading.atMs),
      stolenMs: this.#steal.read(reading.atMs, processorOf(stat))
    }
  }

  /** Time on a CPU and waiting for one so far, to the microsecond; null if unknown. */
  times () {
    return schedIn(this.#schedstat.read())
  }

  /** Time the thread has waited for a CPU, or for CPU quota; 0 if unknown. @param {number} nowMs */
  queuedMs (nowMs) {
    const { runQueueMs } = schedIn(this.#schedstat.read())
    return runQueueMs ?? this.#shared.throttling.recent(nowMs) ?? 0
  }

  /** CPU time so far by mode, to a hundredth of a second. */
  cpuSeconds () {
    if (this.#counters !== undefined) {
      return { user: this.#countedMs('userMs') / MS_PER_S, system: this.#countedMs('systemMs') / MS_PER_S }
    }
    const stat = this.#stat.read()
    if (stat === null) return null
    const { user, system } = statOf(stat)
    return { user: user * MS_PER_TICK / MS_PER_S, system: system * MS_PER_TICK / MS_PER_S }
  }

  /** @param {'userMs' | 'systemMs'} slot */
  #countedMs (slot) {
    return this.#counters?.get(slot) ?? 0
  }

  /**
   * The number of times that the thread has gone to sleep (null if the kernel does not count it), whether it sleeps
   * now, and the time that the hypervisor took of its CPU.
   * @param {number} nowMs
   */
  rest (nowMs) {
    this.#status ??= new KernelFile(`${this.#folder}/status`)
    const text = this.#status.read() ?? ''
    const stat = this.#stat.read()
    const count = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)
    return {
      sleeps: count === null ? null : Number(count[1]),
      isAsleep: !isRunnable(stat),
      stolenMs: this.#steal.read(nowMs, processorOf(stat))
    }
  }

  close () {
    for (const file of [this.#schedstat, this.#stat, this.#status]) file?.close()
  }
}

/** @typedef {ReturnType<typeof exports.openStats>} Stats of the main thread and of this one */

/** @param {string | null} stat */
function isRunnable (stat) {
  return stat !== null && statOf(stat).state === RUNNABLE
}

/** The CPU that a thread runs on, or ran on last. @param {string | null} stat */
function processorOf (stat) {
  return stat === null ? null : statOf(stat).processor
}

/** Preemptions are the only sign of waiting in getrusage(). 2 us; always 0 on Windows. */
function preemptions () {
  return process.resourceUsage().involuntaryContextSwitches
}

/** Idle ms of all CPUs: no thread waits while a CPU idles. Some systems count in ticks of 10 to 16 ms. */
function machineIdleMs () {
  try {
    const cpus = os.cpus()
    return cpus.length === 0 ? null : cpus.reduce((total, { times }) => total + times.idle, 0)
  } catch {
    return null // not permitted
  }
}

exports.ThreadStats = ThreadStats
exports.processorOf = processorOf
