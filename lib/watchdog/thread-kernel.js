'use strict'

const { existsSync } = require('node:fs')
const { idleBeside, schedOf, cpuOf, processorOf } = require('./kernel')
const { KernelFile } = require('./kernel-file')
const { Steal } = require('./steal')

const TASKS = '/proc/self/task'

/** What Linux knows of one worker thread; nulls elsewhere. */
class ThreadKernel {
  #schedstat
  #stat
  #status
  #throttling
  #steal
  #hasRun = false
  /** Whether the thread is no more: its files tell nobody else's numbers, whoever is given its id. */
  isGone

  /** @param {number | null} tid in the kernel @param {Pick<import('./kernel').Kernel, 'throttling' | 'machineSteal'>} common of all threads */
  constructor (tid, { throttling, machineSteal }) {
    const folder = tid === null ? '/nonexistent' : `${TASKS}/${tid}`
    // Asked of the folder: a file of it may also be missing in this kernel, or one too many to be opened.
    this.isGone = tid !== null && existsSync(TASKS) && !existsSync(folder)
    this.#schedstat = new KernelFile(`${folder}/schedstat`)
    this.#stat = new KernelFile(`${folder}/stat`)
    this.#status = new KernelFile(`${folder}/status`)
    this.#throttling = throttling
    this.#steal = new Steal(machineSteal, () => processorOf(this.#stat.read()))
  }

  /** @param {number} nowMs @returns {import('./kernel').Reading} */
  read (nowMs) {
    const text = this.#schedstat.read()
    this.isGone ||= this.#hasRun && text === null
    this.#hasRun ||= text !== null
    return { atMs: nowMs, ...schedOf(text), throttledMs: this.#throttling.glance(nowMs), stolenMs: null }
  }

  /** What a block is judged by. @param {import('./kernel').Reading} reading of this moment @returns {import('./kernel').Reading} */
  precise (reading) {
    return { ...reading, ...idleBeside(reading), throttledMs: this.#throttling.read(reading.atMs), stolenMs: this.#steal.read(reading.atMs) }
  }

  /** CPU time so far. */
  cpuSeconds () {
    return cpuOf(this.#stat.read())
  }

  /** How often the thread has gone to sleep so far. */
  sleeps () {
    const count = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(this.#status.read() ?? '')
    return count === null ? null : Number(count[1])
  }

  close () {
    this.#schedstat.close()
    this.#status.close()
    this.#stat.close()
  }
}

exports.ThreadKernel = ThreadKernel
