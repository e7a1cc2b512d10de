'use strict'

const { nowMs } = require('../../util/clock')
const { codedError } = require('../../tables/errors')

/** @import { Bridge } from '../../bridge/memory' */

/** Calls closer than this count as one, so a loop of tiny calls costs at most one row a millisecond. */
const FINEST_MS = 1

/** Throws LOOPWATCH_ERR_OPTION. @param {unknown} fn @param {unknown} reason */
exports.checkAllow = (fn, reason) => {
  if (typeof fn !== 'function') throw codedError('LOOPWATCH_ERR_OPTION', 'allow()', 'a function', fn)
  if (typeof reason !== 'string' || reason === '') {
    throw codedError('LOOPWATCH_ERR_OPTION', 'reason of allow()', 'some words', reason)
  }
}

/** Reports calls of allow() to the watchdog: the start of the current one, and later its end. */
class AllowedCalls {
  #bridge
  #depth = 0
  #startMs = -Infinity
  #endMs = -Infinity
  #reportedMs = -Infinity

  /** @param {Pick<Bridge, 'allowedCalls' | 'allowedNow' | 'reasons'>} bridge */
  constructor (bridge) {
    this.#bridge = bridge
  }

  get isRunning () {
    return this.#depth > 0
  }

  /** In nested calls, the outermost counts. @template T @param {() => T} fn @param {string} reason @returns {T} */
  run (fn, reason) {
    if (this.#depth > 0) return fn()
    const { allowedNow, reasons } = this.#bridge
    const number = reasons.numberOf(reason)
    const startMs = nowMs()
    this.#depth++
    allowedNow[1] = number
    allowedNow[0] = startMs
    try {
      return fn()
    } finally {
      this.#depth--
      this.#report(startMs, nowMs(), number)
      allowedNow[0] = 0
    }
  }

  /** @param {number} startMs @param {number} endMs @param {number} number of the reason */
  #report (startMs, endMs, number) {
    if (startMs - this.#endMs >= FINEST_MS) {
      this.#startMs = startMs
      this.#reportedMs = startMs
    }
    this.#endMs = endMs
    if (endMs - this.#reportedMs < FINEST_MS) return
    this.#reportedMs = endMs
    this.#bridge.allowedCalls.push(this.#startMs, endMs, number)
  }
}

exports.AllowedCalls = AllowedCalls
