'use strict'

const { Recently } = require('../../util/recently')

/** @import { Say } from '../health' */

/** After this long without a block, requests are no longer followed where following is expensive. */
const QUIET_MS = 10 * 60 * 1000

/** Once following requests has cost too much, it stops for this long. */
const PAUSE_MS = 60 * 60 * 1000

/** AsyncLocalStorage costs a tenth of the throughput on Node.js 20 and 22: follows requests only while blocks come. */
class RequestTracking {
  #tell
  #say
  #blocks = new Recently({ withinMs: QUIET_MS })
  #pausedUntilMs = -Infinity
  isOn = false

  /** @param {(on: boolean) => void} tell @param {Say} say */
  constructor (tell, say) {
    this.#tell = tell
    this.#say = say
  }

  /** @param {number} nowMs */
  settled (nowMs) {
    this.#blocks.add(nowMs)
    this.tick(nowMs)
  }

  /** @param {number} nowMs */
  tick (nowMs) {
    const isOn = this.#blocks.isOn(nowMs) && nowMs >= this.#pausedUntilMs
    if (this.isOn === isOn) return
    this.isOn = isOn
    this.#tell(isOn)
    if (isOn) {
      const message = 'request tracking is on: later blocks name their request. On this version of Node.js, tracking ' +
        "costs about 0.2 µs per await; requests: 'off' switches it off"
      this.#say('info', { event: 'requests_on' }, message)
    }
  }

  /** The host has stopped following them: the application makes too many promises. @param {number} nowMs */
  tooCostly (nowMs) {
    if (!this.isOn) return
    this.isOn = false
    this.#pausedUntilMs = nowMs + PAUSE_MS
    const message = 'request tracking is off for an hour: the application creates more than a million promises per ' +
      "second, and each costs time. Update to Node.js 24 or later, or set requests: 'on' to track them anyway"
    this.#say('warn', { event: 'requests_off' }, message)
  }
}

exports.RequestTracking = RequestTracking
exports.QUIET_MS = QUIET_MS
