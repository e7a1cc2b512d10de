'use strict'

const { nowMs } = require('../../util/clock')

/** Far more than the places of one block. Beyond this, a place is tried again when it is next needed. */
const JOBS = 1000

/** Work that would delay a sample or a report, done later: one job between two turns of the watchdog's loop. */
class Backlog {
  /** By subject, so that nothing is done twice. @type {Map<string, () => void>} */
  #jobs = new Map()
  #isScheduled = false
  #mayWork

  /** @param {() => boolean} mayWork false while something more urgent is about to happen */
  constructor (mayWork) {
    this.#mayWork = mayWork
  }

  get isEmpty () {
    return this.#jobs.size === 0
  }

  /** @param {string} about @param {() => void} job that throws nothing @returns {boolean} false if there is no room */
  add (about, job) {
    if (this.#jobs.size >= JOBS) return false
    if (!this.#jobs.has(about)) this.#jobs.set(about, job)
    return true
  }

  /** Starts doing jobs, until something more urgent comes up. */
  workOff () {
    if (this.#isScheduled || this.isEmpty || !this.#mayWork()) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (!this.#mayWork()) return
      this.#doNext()
      this.workOff()
    })
  }

  /** Does all jobs that can be begun in this time. @param {number} mostMs */
  finish (mostMs) {
    const untilMs = nowMs() + mostMs
    while (!this.isEmpty && nowMs() < untilMs) this.#doNext()
  }

  #doNext () {
    const [[about, job]] = this.#jobs
    this.#jobs.delete(about)
    job()
  }
}

exports.Backlog = Backlog
