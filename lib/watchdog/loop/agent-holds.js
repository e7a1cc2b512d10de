'use strict'

const { US_PER_MS } = require('../../util/units')

/**
 * @import { Counters } from '../../bridge/counters'
 * @import { PollReading } from './monitor'
 */

/** If the agent keeps the thread for longer than this, it counts as a block after all. */
const HELD_MS = 5000

/** The time for which the agent itself keeps the thread (its start, profiler, modules), no block of the application. */
class AgentHolds {
  #counters
  /** Odd while the agent keeps the thread. */
  #holds
  #sinceMs = -Infinity
  #seenAtMs = -Infinity

  /** @param {Pick<Counters, 'get' | 'heldMicros'>} counters */
  constructor (counters) {
    this.#counters = counters
    this.#holds = counters.get('holds')
  }

  /** Whether the agent has not kept the thread since the last poll. @param {number} nowMs */
  isCalm (nowMs) {
    const holds = this.#counters.get('holds')
    if (holds !== this.#holds || isOdd(holds)) return false
    this.#seenAtMs = nowMs
    return true
  }

  /** Moves the beat by the agent's time. @param {PollReading} seen @returns {PollReading} */
  adjust (seen) {
    const holds = this.#counters.get('holds')
    const { reading: { atMs }, beat } = seen
    if (holds !== this.#holds) this.#sinceMs = this.#seenAtMs
    this.#seenAtMs = atMs
    this.#holds = holds
    const since = atMs - this.#sinceMs < HELD_MS ? this.heldMicros(atMs) : this.#counters.heldMicros
    const heldMs = (since - (beat.heldMicros ?? 0) | 0) / US_PER_MS
    return heldMs === 0 ? seen : { ...seen, beat: { ...beat, atMs: Math.min(atMs, beat.atMs + heldMs) } }
  }

  /** For how long the agent has kept the thread so far, with what it does now. @param {number} nowMs */
  heldMicros (nowMs) {
    return this.#counters.heldMicros + (isOdd(this.#holds) ? (nowMs - this.#sinceMs) * US_PER_MS : 0)
  }
}

/** @param {number} count */
const isOdd = (count) => (count & 1) === 1

exports.AgentHolds = AgentHolds
