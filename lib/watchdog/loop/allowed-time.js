'use strict'

const { OTHER } = require('../../util/overflow-label')

/** @import { Bridge } from '../../bridge/memory' */

/** The latest calls that are kept, one second of calls back to back. Older ones belong to settled blocks. */
const CALLS = 1024
/** A block is allowed if calls cover this share of it. */
const MOSTLY = 0.5

/** @typedef {{ startMs: number, endMs: number, reason: number }} Call */

/** The latest calls of agent.allow(), to compare with a block. */
class AllowedTime {
  /** @type {Call[]} */
  #calls = []
  #bridge

  /** @param {Pick<Bridge, 'allowedCalls' | 'allowedNow' | 'reasons'>} bridge */
  constructor (bridge) {
    this.#bridge = bridge
  }

  drain () {
    for (const [startMs, endMs, reason] of this.#bridge.allowedCalls.drain()) {
      // The host extends a row of short calls by writing it again.
      if (this.#calls.at(-1)?.startMs === startMs) this.#calls.pop()
      this.#calls.push({ startMs, endMs, reason })
    }
    if (this.#calls.length > 2 * CALLS) this.#calls = this.#calls.slice(-CALLS)
  }

  /** Why most of an interval was allowed, null if less than half was. @param {number} startMs @param {number} endMs */
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
