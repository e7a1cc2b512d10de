'use strict'

const { existsSync } = require('node:fs')
const { idleBeside, schedOf, cpuOf, processorOf } = require('./main-thread')
const { KernelFile } = require('./file')
const { Steal } = require('./steal')
const { MS_PER_S } = require('../../util/units')

const TASKS = '/proc/self/task'

/** What Linux knows of one worker thread; elsewhere nulls, but for the CPU time that the main thread may have counted. */
class ThreadKernel {
  #counters
  #schedstat
  #stat
  #status
  #throttling
  #steal
  #hasRun = false
  /** Whether the thread is no more: its files tell nobody else's numbers, whoever is given its id. */
  isGone

  /**
   * @param {number | null} tid in the kernel
   * @param {Pick<import('./main-thread').Kernel, 'throttling' | 'machineSteal'>} common of all threads
   * @param {Pick<import('../../bridge/counters').Counters, 'get'>} counters of its CPU time where there is no tid
   */
  constructor (tid, { throttling, machineSteal }, counters) {
    this.#counters = tid === null ? counters : null
    const folder = tid === null ? '/nonexistent' : `${TASKS}/${tid}`
    // Asked of the folder: a file of it may also be missing in this kernel, or one too many to be opened.
    this.isGone = tid !== null && existsSync(TASKS) && !existsSync(folder)
    this.#schedstat = new KernelFile(`${folder}/schedstat`)
    this.#stat = new KernelFile(`${folder}/stat`)
    this.#status = new KernelFile(`${folder}/status`)
    this.#throttling = throttling
    this.#steal = new Steal(machineSteal, () => processorOf(this.#stat.read()))
  }

  /** @param {number} nowMs @returns {import('./main-thread').Reading} */
  read (nowMs) {
    const text = this.#schedstat.read()
    this.isGone ||= this.#hasRun && text === null
    this.#hasRun ||= text !== null
    const cpuMs = this.#countedMs('userMs') + this.#countedMs('systemMs')
    return { atMs: nowMs, ...schedOf(text), ...(cpuMs > 0 && { cpuMs }), throttledMs: this.#throttling.glance(nowMs), stolenMs: null }
  }

  /** What a block is judged by. @param {import('./main-thread').Reading} reading of this moment @returns {import('./main-thread').Reading} */
  precise (reading) {
    return { ...reading, ...idleBeside(reading), throttledMs: this.#throttling.read(reading.atMs), stolenMs: this.#steal.read(reading.atMs) }
  }

  /** CPU time so far. */
  cpuSeconds () {
    if (this.#counters === null) return cpuOf(this.#stat.read())
    return { user: this.#countedMs('userMs') / MS_PER_S, system: this.#countedMs('systemMs') / MS_PER_S }
  }

  /** @param {'userMs' | 'systemMs'} slot */
  #countedMs (slot) {
    return this.#counters?.get(slot) ?? 0
  }

  /** How often the thread has gone to sleep so far, null where the kernel does not count it, and whether it sleeps now. */
  rest () {
    const text = this.#status.read() ?? ''
    const count = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)
    return { sleeps: count === null ? null : Number(count[1]), isAsleep: !/^State:\s*R/m.test(text) }
  }

  close () {
    this.#schedstat.close()
    this.#status.close()
    this.#stat.close()
  }
}

exports.ThreadKernel = ThreadKernel
