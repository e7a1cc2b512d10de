'use strict'

/** A worker thread that has ended by then is never touched. */
const FIRST_MS = 50
/** From the second try on it is interrupted; each comes after twice the time, the last after a minute. */
const TRIES = 10

/** Has worker threads of the application load what makes them watched, until each has said so. */
class ThreadDiscovery {
  /** @type {Map<number, { dueAtMs: number, tries: number }>} */
  #pending = new Map()
  #install
  #nowMs
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {(threadIds: number[], isInterrupt: boolean) => boolean} parts.install false where it has to wait
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
      const isPut = due.length > 0 && this.#install(due.map(([threadId]) => threadId), isInterrupt)
      for (const [threadId, each] of due) {
        each.dueAtMs = now + FIRST_MS * 2 ** each.tries
        if (isPut && ++each.tries === TRIES) this.#pending.delete(threadId)
      }
    }
    this.#schedule()
  }

  stop () {
    clearTimeout(this.#timer)
    this.#pending.clear()
  }
}

exports.ThreadDiscovery = ThreadDiscovery
