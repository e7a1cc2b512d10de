'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { setTimeout, clearTimeout, setImmediate, clearImmediate } = require('node:timers')
const { nowMs } = require('../../util/clock')

/** Beats of a loop that rests. They tell that it turns, and keep a load of the last second up to date. */
const PERIOD_MS = 250
/** Timers come up to this much early as the loop sees it. */
const EARLY_MS = 2
/**
 * A loop that turns more often within the period does not rest. While V8 samples the thread, each of some signals has
 * libuv turn once for nothing, four to a period.
 */
const MOST_TURNS = 10
/** A request ends a rest before it is answered. */
const CHANNELS = ['http.server.request.start', 'http2.server.stream.start']

/**
 * Ends the rest of a loop with its next turn, at no cost before: an immediate that is not ref'd does not wake a loop,
 * it comes once the loop has woken up and has run what woke it. A timer ends it after the period.
 */
class Rest {
  #onTime
  #onTurn
  #onRequest
  #dueAtMs = Infinity
  #turns = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {NodeJS.Immediate | undefined} */
  #immediate

  /**
   * @param {object} told
   * @param {() => void} told.onTime the period is over
   * @param {() => void} told.onTurn something else has woken the loop, and is done
   * @param {() => void} told.onRequest a request is about to be answered
   */
  constructor ({ onTime, onTurn, onRequest }) {
    this.#onTime = onTime
    this.#onTurn = onTurn
    this.#onRequest = () => {
      // A channel still calls who has just left it. What a subscriber throws would be the application's.
      try { if (this.isOn) onRequest() } catch {}
    }
  }

  get isOn () {
    return this.#timer !== undefined
  }

  /** The loop rests from now on. @param {number} atMs */
  #enter (atMs) {
    this.#timer = setTimeout(this.#onTime, PERIOD_MS).unref()
    for (const name of CHANNELS) subscribe(name, this.#onRequest)
    this.#begin(atMs)
  }

  /** @param {number} atMs */
  #begin (atMs) {
    this.#dueAtMs = atMs + PERIOD_MS
    this.#turns = 0
  }

  /** The loop rests from now on, or goes on to after a turn. @param {number} atMs */
  enter (atMs) {
    if (this.#timer === undefined) this.#enter(atMs)
    else if (this.isDue(atMs)) {
      this.#timer.refresh()
      this.#begin(atMs)
    } else this.#turns++
    this.#immediate ??= setImmediate(this.#onImmediate).unref()
  }

  /** Whether it turns too often to go on. */
  get isRestless () {
    return this.#turns >= MOST_TURNS
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
    for (const name of CHANNELS) unsubscribe(name, this.#onRequest)
  }
}

exports.Rest = Rest
exports.PERIOD_MS = PERIOD_MS
