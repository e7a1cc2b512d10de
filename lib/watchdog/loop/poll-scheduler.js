'use strict'

const { nowMs } = require('../../util/clock')
const { SelfLateness } = require('./self-lateness')

/** What is not urgent is looked at this often. */
const WHOLE_MS = 250

/**
 * When the watchdog looks. It wakes as late as it may and no block is missed; where a glance at the
 * heartbeat then shows nothing, that was all. What else there is to do waits for a whole look.
 */
class PollScheduler {
  #parts
  #wholeAtMs = -Infinity
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {() => number | null} parts.ownCpuMs of the watchdog so far
   * @param {(nowMs: number) => number | null} parts.glance when to look again at the latest; null where a whole look is needed
   * @param {(nowMs: number, selfLate: boolean) => { wakeAtMs: number, dueAtMs: number }} parts.look when to look again at the latest, and when wholly
   */
  constructor (parts) {
    this.#parts = parts
    this.lateness = new SelfLateness(parts.ownCpuMs)
  }

  /** Looks, and again when that is due. */
  wake () {
    const now = nowMs()
    const selfLate = this.lateness.arrive(now)
    const isWhole = selfLate || now >= this.#wholeAtMs
    this.#schedule((isWhole ? null : this.#parts.glance(now)) ?? this.#look(now, selfLate))
  }

  /** @param {number} now @param {boolean} selfLate */
  #look (now, selfLate) {
    const { wakeAtMs, dueAtMs } = this.#parts.look(now, selfLate)
    this.#wholeAtMs = Math.min(dueAtMs, now + WHOLE_MS)
    return wakeAtMs
  }

  /** @param {number} wakeAtMs */
  #schedule (wakeAtMs) {
    // This look may have taken a while itself, which is no lateness.
    const fromMs = nowMs()
    const waitMs = Math.max(1, Math.ceil(Math.min(wakeAtMs, this.#wholeAtMs) - fromMs))
    this.lateness.leave(fromMs, fromMs + waitMs)
    this.#timer = setTimeout(this.#onTime, waitMs)
  }

  #onTime = () => this.wake()

  /** Something has come up that the next wake-up is to look at. */
  hurry () {
    this.#wholeAtMs = -Infinity
  }

  stop () {
    clearTimeout(this.#timer)
  }
}

exports.PollScheduler = PollScheduler
