'use strict'

/** Blocks in a row that are logged each; then this many a second. */
const BURST = 10
const PER_SECOND = 1
/** A block this long is logged however many there were before it. */
const ALWAYS_MS = 1000

/**
 * Limits the log to what a person reads in a storm of blocks; each block is logged whole (opened,
 * in progress, ended) or not at all. Metrics and records count all of them.
 */
class LogBudget {
  #tokens = BURST
  #refilledAtMs
  /** @type {Map<string, boolean>} by block in progress, whether it is logged */
  #decided = new Map()
  #suppressed = 0

  /** @param {number} nowMs */
  constructor (nowMs) {
    this.#refilledAtMs = nowMs
  }

  /**
   * Whether to log a line about a block.
   * @param {{ id: string, durationMs: number, ongoing: boolean }} record
   * @param {number} nowMs
   */
  allows ({ id, durationMs, ongoing }, nowMs) {
    const allowed = durationMs >= ALWAYS_MS || (this.#decided.get(id) ?? this.#takeToken(nowMs))
    if (ongoing) {
      this.#decided.set(id, allowed)
    } else {
      this.#decided.delete(id)
      if (!allowed) this.#suppressed++
    }
    return allowed
  }

  /** A line about a block that is not to be seen anyway. @param {{ id: string, ongoing: boolean }} record */
  pass ({ id, ongoing }) {
    if (!ongoing) this.#decided.delete(id)
  }

  /** @param {number} nowMs */
  #takeToken (nowMs) {
    this.#tokens = Math.min(BURST, this.#tokens + (nowMs - this.#refilledAtMs) / 1000 * PER_SECOND)
    this.#refilledAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** How many ended blocks were not logged since the last call. */
  takeSuppressed () {
    const count = this.#suppressed
    this.#suppressed = 0
    return count
  }
}

exports.LogBudget = LogBudget
