'use strict'

const { KernelFile, schedOf, cpuOf } = require('./kernel')

/** What Linux knows of one worker thread; nulls elsewhere. */
class ThreadKernel {
  #schedstat
  #stat
  #status
  #throttling
  #hasRun = false
  /** Whether the thread is no more: its files tell nobody else's numbers, whoever is given its id. */
  isGone = false

  /** @param {number | null} tid in the kernel @param {import('./throttling').Throttling} throttling of the process's cgroup */
  constructor (tid, throttling) {
    const folder = tid === null ? '/nonexistent' : `/proc/self/task/${tid}`
    this.#schedstat = new KernelFile(`${folder}/schedstat`)
    this.#stat = new KernelFile(`${folder}/stat`)
    this.#status = new KernelFile(`${folder}/status`)
    this.#throttling = throttling
  }

  /** @param {number} nowMs @returns {import('./kernel').Reading} */
  read (nowMs) {
    const text = this.#schedstat.read()
    this.isGone = this.#hasRun && text === null
    this.#hasRun ||= text !== null
    return { atMs: nowMs, ...schedOf(text), throttledMs: this.#throttling.glance(nowMs) }
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
