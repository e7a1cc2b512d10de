'use strict'

const { BoundedMap } = require('../../util/bounded-map')
const { MS_PER_MINUTE, MS_PER_S } = require('../../util/units')

/** @import { BlockRecord } from '../../types' */

/** Lines at once; afterwards one per second. */
const BURST = 10
/** A block this long is always logged. */
const ALWAYS_MS = 1000

/**
 * Limits the log in a burst of blocks to what a person can read. Each block is logged from its opening to its end, or
 * not at all. Metrics and records count all of them.
 */
class LogBudget {
  #tokens = BURST
  #refilledAtMs
  #alwaysMs
  /** @type {Map<string, boolean>} whether a block in progress is logged, by id */
  #decided = new Map()
  #suppressed = 0

  /** @param {number} nowMs @param {number} [alwaysMs] */
  constructor (nowMs, alwaysMs = ALWAYS_MS) {
    this.#refilledAtMs = nowMs
    this.#alwaysMs = alwaysMs
  }

  /** @param {{ id: string, durationMs: number, ongoing: boolean }} record @param {number} nowMs */
  allows ({ id, durationMs, ongoing }, nowMs) {
    const allowed = durationMs >= this.#alwaysMs || (this.#decided.get(id) ?? this.#takeToken(nowMs))
    if (ongoing) {
      this.#decided.set(id, allowed)
    } else {
      this.#decided.delete(id)
      if (!allowed) this.#suppressed++
    }
    return allowed
  }

  /** @param {{ id: string, ongoing: boolean }} record without a line */
  pass ({ id, ongoing }) {
    if (!ongoing) this.#decided.delete(id)
  }

  /** @param {number} nowMs */
  #takeToken (nowMs) {
    this.#tokens = Math.min(BURST, this.#tokens + (nowMs - this.#refilledAtMs) / MS_PER_S)
    this.#refilledAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  takeSuppressed () {
    const count = this.#suppressed
    this.#suppressed = 0
    return count
  }
}

const THREADS = 1000

/** A worker thread exists to compute: it has one line a minute, and one more once its line of code is known. */
class ThreadBudget extends LogBudget {
  /** When a thread last had a line, and one with a line of code. @type {BoundedMap<number>} */
  #loggedAtMs = new BoundedMap({ mostItems: THREADS })

  /** @param {Pick<BlockRecord, 'id' | 'durationMs' | 'ongoing' | 'threadId' | 'frame'>} record @param {number} nowMs */
  allows (record, nowMs) {
    const { threadId, frame } = record
    const keys = frame === null ? [`${threadId}`] : [`${threadId}`, `line of ${threadId}`]
    const lastMs = this.#loggedAtMs.get(keys[keys.length - 1]) ?? -Infinity
    if (nowMs - lastMs < MS_PER_MINUTE || !super.allows(record, nowMs)) return false
    for (const key of keys) this.#loggedAtMs.set(key, nowMs)
    return true
  }
}

/** A block in progress has a line after these times. */
const MARKS_S = [1, 5, 15, 60]
/** Afterwards one line a minute: the log shows a block of a whole night, but is not full of it. */
const EACH_S = 60
/** Loading modules at startup takes a second or two. Only a longer start has lines before its end. */
const STARTUP_S = 5

/** Decides which of a block's reports, one per second, get a line. */
class Progress {
  /** Next line of each block in progress, by id. @type {Map<string, number>} */
  #nextS = new Map()

  /** @param {{ id: string, durationMs: number, startup: boolean }} record of a block in progress */
  isDue ({ id, durationMs, startup }) {
    const lastedS = durationMs / MS_PER_S
    if (lastedS < (this.#nextS.get(id) ?? (startup ? STARTUP_S : MARKS_S[0]))) return false
    this.#nextS.set(id, MARKS_S.find((mark) => mark > lastedS) ?? (Math.floor(lastedS / EACH_S) + 1) * EACH_S)
    return true
  }

  /** @param {string} id of a settled block */
  ended (id) {
    this.#nextS.delete(id)
  }
}

exports.Progress = Progress
exports.STARTUP_S = STARTUP_S
exports.ThreadBudget = ThreadBudget
exports.LogBudget = LogBudget
