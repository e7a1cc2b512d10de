'use strict'

const { BACKLOG_MS } = require('../../../bridge/request-row')
const { loopTime } = require('../../sense/loop-time')

/** A loop that has slept this long since the late beat has read everything that was waiting for it. */
const IDLE_MS = 1

/** After a late beat the loop reads what arrived in the block: one connection a turn, read in the next turn. */
class BacklogWindow {
  #sinceMs = -Infinity
  #idleMs = 0

  /** @param {number} atMs of the late beat @param {number} idleMs of the loop so far */
  begin (atMs, idleMs) {
    this.#sinceMs = atMs
    this.#idleMs = idleMs
  }

  /**
   * Whether a request read now may have been waiting. It was not if its connection was answered after the late beat.
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
