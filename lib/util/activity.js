'use strict'

/** A loop at rest is active for 1 to 3% of the time: beats, and the samples of V8. */
const WORK_SHARE = 0.1
/** Shortest time to judge by: in a shorter one, a turn of 0.5 ms or a collection of an idle heap would be work. */
const LEAST_MS = 200

/** Decides from a growing total of active time whether there is work. */
class Activity {
  #leastMs
  /** @type {number | null} */
  #atMs = null
  #activeMs = 0

  /** @param {number} [leastMs] over which it is counted */
  constructor (leastMs = LEAST_MS) {
    this.#leastMs = leastMs
  }

  /**
   * Whether there was work since the last count; null if that is not long enough ago. The first time counts as work.
   * @param {number} atMs @param {number} activeMs so far
   */
  count (atMs, activeMs) {
    const sinceMs = this.#atMs === null ? null : atMs - this.#atMs
    if (sinceMs !== null && sinceMs < this.#leastMs) return null
    const isWork = sinceMs === null || activeMs - this.#activeMs > sinceMs * WORK_SHARE
    this.begin(atMs, activeMs)
    return isWork
  }

  /** Counts from now on. @param {number} atMs @param {number} activeMs so far */
  begin (atMs, activeMs) {
    this.#atMs = atMs
    this.#activeMs = activeMs
  }
}

exports.Activity = Activity
