'use strict'

const eventLoopUtilization = performance.eventLoopUtilization.bind(performance)

/** A loop that has slept for so long since has read everything that was waiting for it. */
const IDLE_MS = 1
/** In a loop that never sleeps what is read later than this after a block may have come after it. */
const MOST_MS = 100

/**
 * The time after a silence of the loop in which it reads what came meanwhile: connections are accepted
 * one a turn and read in the turn after.
 */
class Rush {
  #sinceMs = -Infinity
  #idleMs = 0

  /** A silence has ended. @param {number} atMs @param {number} idleMs of the loop so far */
  begin (atMs, idleMs) {
    this.#sinceMs = atMs
    this.#idleMs = idleMs
  }

  /** @param {number} nowMs */
  isOn (nowMs) {
    if (nowMs - this.#sinceMs > MOST_MS) return false
    if (eventLoopUtilization().idle - this.#idleMs < IDLE_MS) return true
    this.#sinceMs = -Infinity
    return false
  }
}

exports.Rush = Rush
