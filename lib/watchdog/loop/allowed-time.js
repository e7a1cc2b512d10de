'use strict'

const { OTHER } = require('../../util/overflow-label')

/** The latest calls that are kept: a second of them, back to back. Older ones belong to settled blocks. */
const CALLS = 1024
/** From this share on, a block is an allowed one. */
const MOSTLY = 0.5

/** @typedef {{ startMs: number, endMs: number, reason: number }} Call */

/** The latest calls of agent.allow(), to be laid over a block. */
class AllowedTime {
  /** @type {Call[]} */
  #calls = []
  #bridge

  /** @param {Pick<import('../../bridge/memory').Bridge, 'allowedCalls' | 'allowedNow' | 'reasons'>} bridge */
  constructor (bridge) {
    this.#bridge = bridge
  }

  /** Takes what the host has told since the last call. */
  drain () {
    for (const [startMs, endMs, reason] of this.#bridge.allowedCalls.drain()) {
      // A row of short calls is told again as it grows.
      if (this.#calls.at(-1)?.startMs === startMs) this.#calls.pop()
      this.#calls.push({ startMs, endMs, reason })
    }
    if (this.#calls.length > 2 * CALLS) this.#calls = this.#calls.slice(-CALLS)
  }

  /**
   * Why an interval was allowed.
   * @param {number} startMs
   * @param {number} endMs
   * @returns {string | null} the reason of the call that had most of it; null where less than half of it was allowed
   */
  reasonWithin (startMs, endMs) {
    this.drain()
    const parts = [...this.#calls, ...this.#now(endMs)]
      .map((call) => ({ reason: call.reason, ms: Math.min(call.endMs, endMs) - Math.max(call.startMs, startMs) }))
      .filter(({ ms }) => ms > 0)
    const allMs = parts.reduce((sum, { ms }) => sum + ms, 0)
    if (parts.length === 0 || allMs < MOSTLY * (endMs - startMs)) return null
    const most = parts.reduce((a, b) => b.ms > a.ms ? b : a)
    return this.#bridge.reasons.stringOf(most.reason) ?? OTHER
  }

  /** The call in progress. @param {number} nowMs @returns {Call[]} */
  #now (nowMs) {
    const { 0: startMs, 1: reason } = this.#bridge.allowedNow
    return startMs === 0 ? [] : [{ startMs, endMs: nowMs, reason }]
  }
}

exports.AllowedTime = AllowedTime
