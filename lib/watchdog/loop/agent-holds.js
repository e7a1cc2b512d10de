'use strict'

const { US_PER_MS } = require('../../util/units')

/** If the agent keeps the thread for longer than this, it counts as a block after all. */
const HELD_MS = 5000

/** The time for which the agent itself keeps the thread (its profiler, its modules), no block of the application. */
class AgentHolds {
  #counters
  /** Odd while the profiler keeps the thread. */
  #holds
  #sinceMs = -Infinity
  #seenAtMs = -Infinity

  /** @param {Pick<import('../../bridge/counters').Counters, 'get' | 'heldMicros'>} counters */
  constructor (counters) {
    this.#counters = counters
    this.#holds = counters.get('profileHolds')
  }

  /** Whether the profiler has not kept the thread since the last poll. @param {number} nowMs */
  isCalm (nowMs) {
    const holds = this.#counters.get('profileHolds')
    if (holds !== this.#holds || isOdd(holds)) return false
    this.#seenAtMs = nowMs
    return true
  }

  /** Moves the beat by the agent's time. @param {import('./monitor').Seen} seen @returns {import('./monitor').Seen} */
  adjust (seen) {
    const holds = this.#counters.get('profileHolds')
    const { reading: { atMs }, beat } = seen
    if (holds !== this.#holds) this.#sinceMs = this.#seenAtMs
    this.#seenAtMs = atMs
    this.#holds = holds
    const isHeld = isOdd(holds) && atMs - this.#sinceMs < HELD_MS
    const micros = this.#counters.heldMicros - (beat.heldMicros ?? 0)
    const heldMs = (micros | 0) / US_PER_MS + (isHeld ? atMs - this.#sinceMs : 0)
    return heldMs === 0 ? seen : { ...seen, beat: { ...beat, atMs: Math.min(atMs, beat.atMs + heldMs) } }
  }
}

/** @param {number} count */
const isOdd = (count) => (count & 1) === 1

exports.AgentHolds = AgentHolds
