'use strict'

const { QUIET_MS } = require('../../bridge/worker-exit-lock')

/** A new thread is left alone for this long: one that has ended by then is never touched. */
const FIRST_MS = QUIET_MS
/**
 * The second try comes after this time and interrupts the thread, each further one after twice the time of the last.
 */
const RETRY_MS = 50
/** The last of so many tries comes after a minute. */
const TRIES = 10
/** A thread that could not be asked, since others were, is due again after this time. */
const AGAIN_MS = 100

/** Makes worker threads of the application load what makes them watched, until each has said so. */
class Discovery {
  /** @type {Map<number, { dueAtMs: number, tries: number }>} */
  #pending = new Map()
  #install
  #nowMs
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {(threadIds: number[], isInterrupt: boolean) => number} parts.install returns how many of them, the first
   * ones, were asked
   * @param {() => number} parts.nowMs
   */
  constructor ({ install, nowMs }) {
    this.#install = install
    this.#nowMs = nowMs
  }

  /** @param {number} threadId */
  add (threadId) {
    this.#pending.set(threadId, { dueAtMs: this.#nowMs() + FIRST_MS, tries: 0 })
    this.#schedule()
  }

  /** It is watched, or has ended. @param {number} threadId */
  remove (threadId) {
    this.#pending.delete(threadId)
  }

  /** Forgets all threads but these and those that were started lately. @param {number[]} living */
  retain (living) {
    const youngest = Math.max(0, ...living)
    for (const threadId of this.#pending.keys()) {
      if (threadId < youngest && !living.includes(threadId)) this.#pending.delete(threadId)
    }
  }

  #schedule () {
    if (this.#timer !== undefined || this.#pending.size === 0) return
    const dueAtMs = Math.min(...[...this.#pending.values()].map((each) => each.dueAtMs))
    this.#timer = setTimeout(() => this.#run(), Math.max(1, dueAtMs - this.#nowMs()))
  }

  #run () {
    this.#timer = undefined
    const now = this.#nowMs()
    for (const isInterrupt of [false, true]) {
      const due = [...this.#pending].filter(([, { dueAtMs, tries }]) => dueAtMs <= now && isInterrupt === (tries > 0))
      const asked = due.length === 0 ? 0 : this.#install(due.map(([threadId]) => threadId), isInterrupt)
      for (const [i, [threadId, each]] of due.entries()) {
        each.dueAtMs = now + (i < asked ? RETRY_MS * 2 ** each.tries : AGAIN_MS)
        if (i < asked && ++each.tries === TRIES) this.#pending.delete(threadId)
      }
    }
    this.#schedule()
  }

  stop () {
    clearTimeout(this.#timer)
    this.#pending.clear()
  }
}

exports.Discovery = Discovery
