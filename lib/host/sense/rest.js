'use strict'

const { setTimeout, clearTimeout, setImmediate, clearImmediate } = require('node:timers')
const { nowMs } = require('../../util/clock')

/** Beats of a loop that rests. They tell that it turns, and keep a load of the last second up to date. */
const PERIOD_MS = 250
/** Timers come up to this much early as the loop sees it. */
const EARLY_MS = 2

/**
 * Ends the rest of a loop with its next turn, at no cost before: an immediate that is not ref'd does not wake a loop,
 * it comes once the loop has woken up and has run what woke it. A timer ends it after the period.
 */
class Rest {
  #onTime
  #onTurn
  #dueAtMs = Infinity
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {NodeJS.Immediate | undefined} */
  #immediate

  /**
   * @param {object} told
   * @param {() => void} told.onTime the period is over
   * @param {() => void} told.onTurn something else has woken the loop, and is done
   */
  constructor ({ onTime, onTurn }) {
    this.#onTime = onTime
    this.#onTurn = onTurn
  }

  get isOn () {
    return this.#timer !== undefined
  }

  /** The loop rests from now on, or goes on to after its timer. @param {number} atMs */
  enter (atMs) {
    this.#dueAtMs = atMs + PERIOD_MS
    if (this.#timer !== undefined) this.#timer.refresh()
    else this.#timer = setTimeout(this.#onTime, PERIOD_MS).unref()
    this.#immediate ??= setImmediate(this.#onImmediate).unref()
  }

  /** Whether the timer ends it. @param {number} atMs */
  isDue (atMs) {
    return atMs >= this.#dueAtMs - EARLY_MS
  }

  #onImmediate = () => {
    this.#immediate = undefined
    // It comes before the timers of its turn: where the timer above has woken the loop, that does the rest.
    if (!this.isDue(nowMs())) this.#onTurn()
  }

  leave () {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = this.#immediate = undefined
  }
}

exports.Rest = Rest
exports.PERIOD_MS = PERIOD_MS
