'use strict'

/** Work that waits this long for a thread means a full pool: our own piece of work takes 0.05 ms. */
const FULL_MS = 200
/** The incident ends once a wait is this short. */
const ROOM_MS = 50

/**
 * @typedef {object} PoolWait of an incident so far
 * @property {number} startMs @property {number} longestMs
 * @property {number} looks how often the watchdog found a piece of work waiting
 * @property {number} fullUntilMs when the last piece of work that waited long was run
 * @typedef {PoolWait & { type: 'opened' | 'ended', endMs: number }} PoolEvent
 */

/** Decides from how long work waits for libuv's thread pool whether, and for how long, the pool is full. */
class PoolIncident {
  /** @type {PoolWait | null} */
  #open = null

  get current () {
    return this.#open
  }

  /**
   * Only an ongoing wait opens an incident: a finished one may have been the watchdog's own wait for a CPU.
   * @param {number} handedAtMs when the latest piece of work was handed to the pool
   * @param {number} nowMs @param {boolean} isDone whether a thread has run it by now @returns {PoolEvent | null}
   */
  see (handedAtMs, nowMs, isDone) {
    const waitedMs = nowMs - handedAtMs
    if (this.#open === null) {
      if (isDone || waitedMs < FULL_MS) return null
      this.#open = { startMs: handedAtMs, longestMs: waitedMs, looks: 1, fullUntilMs: nowMs }
      return { type: 'opened', endMs: nowMs, ...this.#open }
    }
    this.#open.longestMs = Math.max(this.#open.longestMs, waitedMs)
    if (!isDone) this.#open.looks++
    if (!isDone || waitedMs >= ROOM_MS) {
      this.#open.fullUntilMs = nowMs
      return null
    }
    const ended = { type: /** @type {const} */ ('ended'), endMs: this.#open.fullUntilMs, ...this.#open }
    this.#open = null
    return ended
  }
}

exports.PoolIncident = PoolIncident
exports.FULL_MS = FULL_MS
