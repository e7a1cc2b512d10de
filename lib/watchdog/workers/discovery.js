'use strict'

const { QUIET_MS } = require('../../bridge/worker-exit-lock')

/** A worker thread that has ended by then is never touched. */
const FIRST_MS = QUIET_MS
/** From the second try on it is interrupted; each comes after twice the time, the last after a minute. */
const RETRY_MS = 50
const TRIES = 10
/** One whose turn had not come. */
const AGAIN_MS = 100

/** Has worker threads of the application load what makes them watched, until each has said so. */
class Discovery {
  /** @type {Map<number, { dueAtMs: number, tries: number }>} */
  #pending = new Map()
  #install
  #nowMs
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {(threadIds: number[], isInterrupt: boolean) => number} parts.install how many of them, the first ones, were asked
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

  /** There are no others than these and those that were started lately. @param {number[]} living */
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
