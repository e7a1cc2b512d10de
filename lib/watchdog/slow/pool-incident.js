'use strict'

/** Work that waits this long for a thread has found the pool full: an `fs.stat()` of `/` takes 0.1 ms. */
const FULL_MS = 200
/** The pool has room again once a wait is this short. In between, the incident goes on. */
const ROOM_MS = 50

/**
 * @typedef {{ type: 'opened' | 'ended', startMs: number, endMs: number, longestMs: number, inFlight: number }}
 * PoolEvent `inFlight`: the most HTTP requests and named works that were in flight meanwhile
 */

/** Decides from how long work waits for libuv's thread pool when the pool is full, and for how long. */
class PoolIncident {
  /** @type {{ startMs: number, longestMs: number, inFlight: number } | null} */
  #open = null

  get isOpen () {
    return this.#open !== null
  }

  /**
   * @param {number} askedAtMs when the latest piece of work was handed to the pool
   * @param {number} nowMs @param {boolean} isDone whether a thread has run it by now
   * @param {number} inFlight requests and works @returns {PoolEvent | null}
   */
  see (askedAtMs, nowMs, isDone, inFlight) {
    const waitedMs = nowMs - askedAtMs
    if (this.#open === null) {
      if (waitedMs < FULL_MS) return null
      this.#open = { startMs: askedAtMs, longestMs: waitedMs, inFlight }
      return { type: 'opened', endMs: nowMs, ...this.#open }
    }
    this.#open.longestMs = Math.max(this.#open.longestMs, waitedMs)
    this.#open.inFlight = Math.max(this.#open.inFlight, inFlight)
    if (!isDone || waitedMs >= ROOM_MS) return null
    const ended = { type: /** @type {const} */ ('ended'), endMs: askedAtMs, ...this.#open }
    this.#open = null
    return ended
  }
}

exports.PoolIncident = PoolIncident
