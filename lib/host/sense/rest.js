'use strict'

const { setTimeout, clearTimeout, setImmediate, clearImmediate } = require('node:timers')
const { nowMs } = require('../../util/clock')

/** Period of beats while the loop rests. They show that it turns, and keep the load of the last second up to date. */
const PERIOD_MS = 250
/**
 * Period while V8 samples the thread, every 30 ms. At each signal libuv subtracts all the time since the wait began
 * from the rest of the wait, so this one ends after a quarter of a second, without an event (libuv 1.51).
 */
const SAMPLED_PERIOD_MS = 1000
/** Timers may fire this much early, as our clock is not that of the loop. */
const EARLY_MS = 2

/** Ends a rest with the next turn: an unref'd immediate wakes no loop, but runs once something else has. */
class Rest {
  #onTime
  #onTurn
  #dueAtMs = Infinity
  #periodMs = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {NodeJS.Immediate | undefined} */
  #immediate

  /** @param {{ onTime: () => void, onTurn: () => void }} handlers the period has ended; something else woke the loop */
  constructor ({ onTime, onTurn }) {
    this.#onTime = onTime
    this.#onTurn = onTurn
  }

  get isOn () {
    return this.#timer !== undefined
  }

  /** Begins a rest, or prolongs it when its timer has fired. @param {number} atMs @param {number} periodMs */
  enter (atMs, periodMs) {
    this.#dueAtMs = atMs + periodMs
    if (this.#timer !== undefined && periodMs === this.#periodMs) this.#timer.refresh()
    else {
      this.#clear()
      this.#timer = setTimeout(this.#onTime, periodMs).unref()
    }
    this.#periodMs = periodMs
    this.#immediate ??= setImmediate(this.#onImmediate).unref()
  }

  /** Whether the timer ends the rest. @param {number} atMs */
  isDue (atMs) {
    return atMs >= this.#dueAtMs - EARLY_MS
  }

  #onImmediate = () => {
    this.#immediate = undefined
    // An immediate runs before the timers of its turn. If the timer above woke the loop, that timer ends the rest.
    if (!this.isDue(nowMs())) this.#onTurn()
  }

  /** Node.js keeps the place of a cleared timer that is unref'd, and wakes the loop at its time. */
  #clear () {
    clearTimeout(this.#timer?.ref())
  }

  leave () {
    if (this.#timer === undefined) return
    this.#clear()
    clearImmediate(this.#immediate)
    this.#timer = this.#immediate = undefined
  }
}

exports.Rest = Rest
exports.PERIOD_MS = PERIOD_MS
exports.SAMPLED_PERIOD_MS = SAMPLED_PERIOD_MS
