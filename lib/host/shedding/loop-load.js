'use strict'

/** Length of a half window. A reading covers the last half to whole second. */
const HALF_MS = 500

/**
 * The load within the last second, from heartbeats. The delay is the mean lateness weighted by time: an event that
 * arrives at a random moment waits that long. A plain mean would hide a block of two seconds among 40 punctual beats.
 */
class LoopLoad {
  #lastAtMs = NaN
  #periodMs = 0
  #current = { timeMs: 0, idleMs: 0, weighted: 0 }
  #previous = { timeMs: 0, idleMs: 0, weighted: 0 }
  #startUp = true
  /** @type {((nowMs: number) => number) | null} */
  #busyMs = null

  /**
   * @param {number} atMs monotonic @param {number} gapMs since the last beat @param {number} idleMs of the loop in it
   * @param {number} periodMs in which this beat was due @param {number} nextPeriodMs in which the next one is due
   */
  beat (atMs, gapMs, idleMs, periodMs, nextPeriodMs) {
    this.#lastAtMs = atMs
    this.#periodMs = nextPeriodMs
    // Nobody waits during the application's startup, before its first turn.
    if (this.#startUp) {
      this.#startUp = false
      return
    }
    if (this.#current.timeMs >= HALF_MS) {
      const oldest = this.#previous
      this.#previous = this.#current
      oldest.timeMs = oldest.idleMs = oldest.weighted = 0
      this.#current = oldest
    }
    this.#current.timeMs += gapMs
    this.#current.idleMs += idleMs
    this.#current.weighted += gapMs * Math.max(0, gapMs - periodMs)
  }

  /** @param {((nowMs: number) => number) | null} busyMs how long the turn that ends a rest has gone on; null: none */
  rest (busyMs) {
    this.#busyMs = busyMs
  }

  end () {
    this.#lastAtMs = NaN
    this.#busyMs = null
    for (const half of [this.#current, this.#previous]) half.timeMs = half.idleMs = half.weighted = 0
  }

  /** How overdue the next beat is: timers come after requests. 0 if the loop is not watched. @param {number} nowMs */
  overdueMs (nowMs) {
    const sinceMs = this.#busyMs === null ? nowMs - this.#lastAtMs : this.#busyMs(nowMs)
    const overdueMs = sinceMs - this.#periodMs
    return overdueMs > 0 ? overdueMs : 0
  }

  /** @param {number} nowMs */
  delayMs (nowMs) {
    const overdueMs = this.overdueMs(nowMs)
    const pendingMs = overdueMs > 0 ? overdueMs + this.#periodMs : 0
    const timeMs = this.#current.timeMs + this.#previous.timeMs + pendingMs
    return timeMs === 0 ? 0 : (this.#current.weighted + this.#previous.weighted + pendingMs * overdueMs) / timeMs
  }

  /** From 0 to 1; 0 until half a second has been measured. @param {number} nowMs */
  utilization (nowMs) {
    // A loop that lets a timer wait is active.
    const overdueMs = this.overdueMs(nowMs)
    const timeMs = this.#current.timeMs + this.#previous.timeMs + overdueMs
    return timeMs < HALF_MS ? 0 : 1 - (this.#current.idleMs + this.#previous.idleMs) / timeMs
  }
}

exports.LoopLoad = LoopLoad
