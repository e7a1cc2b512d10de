'use strict'

const { BACKLOG_MS } = require('../../../bridge/request-row')
const { loopTime } = require('../../sense/loop-time')

/** A loop that has slept for so long since has read everything that was waiting for it. */
const IDLE_MS = 1

/**
 * The time after a late beat, in which the loop reads what has come meanwhile: connections are accepted one a turn and
 * read in the turn after.
 */
class BacklogWindow {
  #sinceMs = -Infinity
  #idleMs = 0

  /** A late beat has come. @param {number} atMs @param {number} idleMs of the loop so far */
  begin (atMs, idleMs) {
    this.#sinceMs = atMs
    this.#idleMs = idleMs
  }

  /**
   * Whether what is read now may have been waiting.
   * @param {number} nowMs
   * @param {number} answeredAtMs when its connection was last answered: if after the late beat, the request has come
   * since
   */
  isOn (nowMs, answeredAtMs) {
    if (nowMs - this.#sinceMs > BACKLOG_MS || answeredAtMs > this.#sinceMs) return false
    if (loopTime().idle - this.#idleMs < IDLE_MS) return true
    this.#sinceMs = -Infinity
    return false
  }
}

exports.BacklogWindow = BacklogWindow
