'use strict'

const { causes } = require('../causes')
const { isNative } = require('../explain/cause')

/** So many blocks in native calls within this time are worth what a profile costs. */
const BLOCKS = 2
const WITHIN_MS = 10 * 60 * 1000
/** Without one for this long it ends. */
const QUIET_MS = 5 * 60 * 1000

/**
 * Decides when a CPU profile is worth it: where blocks come again whose stacks could only be taken when
 * a native call had returned.
 */
class ProfileNeed {
  /** @type {number[]} */
  #times = []
  #untilMs = -Infinity

  /** A block has its verdict. @param {import('../store/record').BlockRecord} record @param {number} nowMs */
  settled (record, nowMs) {
    if (!isWorthIt(record)) return
    this.#times = [...this.#times, nowMs].slice(-BLOCKS)
    if (this.#times.length === BLOCKS && nowMs - this.#times[0] <= WITHIN_MS) this.#untilMs = nowMs + QUIET_MS
  }

  /** @param {number} nowMs */
  isWanted (nowMs) {
    return nowMs < this.#untilMs
  }
}

/** @param {import('../store/record').BlockRecord} record */
function isWorthIt (record) {
  const { cause, durationMs, evidence, startup } = record
  return causes[cause].excuse === undefined && !evidence.debugger && !startup && isNative({ ...evidence, durationMs })
}

exports.ProfileNeed = ProfileNeed
