'use strict'

const { nowMs } = require('../../util/clock')
const { SelfLateness } = require('./self-lateness')

/** What is not urgent is polled this often. */
const WHOLE_MS = 250
/** A wake-up so shortly before that does it, and spares the one after it. */
const SOON_MS = 25

/**
 * @typedef {object} Parts
 * @property {(nowMs: number) => number | null} quickCheck when to poll again at the latest; null where a whole poll is
 * needed
 * @property {(nowMs: number, selfLate: boolean) => { wakeAtMs: number, dueAtMs: number }} poll when to poll again at
 * the latest, and when wholly
 */

/**
 * When the watchdog polls. It wakes as late as it may and no block is missed. If a quick check of the heartbeat then
 * shows nothing, that was all. What else there is to do waits for a whole poll.
 */
class PollScheduler {
  /** @type {Parts | null} before start() */
  #parts = null
  #wholeAtMs = -Infinity
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {() => number | null} ownCpuMs of the watchdog so far */
  constructor (ownCpuMs) {
    this.lateness = new SelfLateness(ownCpuMs)
  }

  /** From now on it polls. @param {Parts} parts */
  start (parts) {
    this.#parts = parts
    this.wake()
  }

  /** Polls, and again when that is due. */
  wake () {
    const now = nowMs()
    const selfLate = this.lateness.arrive(now)
    const isWhole = selfLate || now >= this.#wholeAtMs - SOON_MS
    const { quickCheck } = /** @type {Parts} */ (this.#parts)
    this.#schedule((isWhole ? null : quickCheck(now)) ?? this.#poll(now, selfLate))
  }

  /** @param {number} now @param {boolean} selfLate */
  #poll (now, selfLate) {
    const { wakeAtMs, dueAtMs } = /** @type {Parts} */ (this.#parts).poll(now, selfLate)
    this.#wholeAtMs = Math.min(dueAtMs, now + WHOLE_MS)
    return wakeAtMs
  }

  /** @param {number} wakeAtMs */
  #schedule (wakeAtMs) {
    // This poll may have taken a while itself, which is no lateness.
    const fromMs = nowMs()
    const waitMs = Math.max(1, Math.ceil(Math.min(wakeAtMs, this.#wholeAtMs) - fromMs))
    this.lateness.leave(fromMs, fromMs + waitMs)
    this.#timer = setTimeout(this.#onTime, waitMs)
  }

  #onTime = () => this.wake()

  /** Something has come up that the next wake-up is to poll wholly. */
  hurry () {
    this.#wholeAtMs = -Infinity
  }

  stop () {
    clearTimeout(this.#timer)
  }
}

exports.PollScheduler = PollScheduler
