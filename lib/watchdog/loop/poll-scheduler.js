'use strict'

const { nowMs } = require('../../util/clock')
const { SelfLateness } = require('./self-lateness')

/** @import { OwnTimes } from './self-lateness' */

/** A whole poll, for what is not urgent, is due this often: every third one of a loop in deep rest (90 ms). */
const WHOLE_MS = 275
/** A wake-up this shortly before a whole poll does it at once, which saves a wake-up. */
const SOON_MS = 25

/**
 * @typedef {object} Polls
 * @property {(nowMs: number) => number | null} quickCheck when to poll again, null if a whole poll is needed
 * @property {(nowMs: number, selfLate: boolean) => { wakeAtMs: number, dueAtMs: number }} poll `dueAtMs`: a whole one
 */

/** Polls as late as it can without missing a block: mostly a quick check of the heartbeat, seldom a whole poll. */
class PollScheduler {
  /** @type {Polls | null} before start() */
  #parts = null
  #wholeAtMs = -Infinity
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {() => OwnTimes} readOwn the watchdog's times so far @param {() => number} readQueued of the main thread */
  constructor (readOwn, readQueued) {
    this.lateness = new SelfLateness(readOwn, readQueued)
  }

  /** @param {Polls} parts */
  start (parts) {
    this.#parts = parts
    this.wake()
  }

  wake = () => {
    const now = nowMs()
    const selfLate = this.lateness.arrive(now)
    const isWhole = selfLate || now >= this.#wholeAtMs - SOON_MS
    const { quickCheck, poll } = /** @type {Polls} */ (this.#parts)
    let wakeAtMs = isWhole ? null : quickCheck(now)
    if (wakeAtMs === null) {
      const polled = poll(now, selfLate)
      wakeAtMs = polled.wakeAtMs
      this.#wholeAtMs = Math.min(polled.dueAtMs, now + WHOLE_MS)
    }
    // This poll may have taken a while itself, which does not count as lateness.
    const fromMs = nowMs()
    const waitMs = Math.max(1, Math.ceil(Math.min(wakeAtMs, this.#wholeAtMs) - fromMs))
    this.lateness.leave(fromMs, fromMs + waitMs)
    this.#timer = setTimeout(this.wake, waitMs)
  }

  hurry () {
    this.#wholeAtMs = -Infinity
  }

  stop () {
    clearTimeout(this.#timer)
  }
}

exports.PollScheduler = PollScheduler
