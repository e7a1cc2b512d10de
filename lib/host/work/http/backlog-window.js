'use strict'

const { BACKLOG_MS } = require('../../../bridge/request-row')
const { loopTime } = require('../../sense/loop-time')

/** A loop that has slept this long since the late beat has read everything that was waiting for it. */
const IDLE_MS = 1

/** The time after a block in which the loop reads requests that arrived meanwhile: one connection a turn. */
class BacklogWindow {
  #sinceMs = -Infinity
  #idleMs = 0

  /** @param {number} atMs of the late beat @param {number} idleMs of the loop so far */
  begin (atMs, idleMs) {
    this.#sinceMs = atMs
    this.#idleMs = idleMs
  }

  /**
   * Whether a request read now may have waited. A connection that was answered after the late beat had none waiting.
   * @param {number} nowMs @param {number} answeredAtMs when its connection was last answered
   */
  isOn (nowMs, answeredAtMs) {
    if (nowMs - this.#sinceMs > BACKLOG_MS || answeredAtMs > this.#sinceMs) return false
    if (loopTime().idle - this.#idleMs < IDLE_MS) return true
    this.#sinceMs = -Infinity
    return false
  }
}

exports.BacklogWindow = BacklogWindow
