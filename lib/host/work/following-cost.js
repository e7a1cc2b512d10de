'use strict'

const { AsyncResource, executionAsyncId } = require('node:async_hooks')

/** Rate of ids that takes about a tenth of the CPU: each costs 0.08 us while anything is followed. */
const IDS_PER_MS = 1000
/** Shortest time over which the rate is measured while the loop turns, and within a turn. */
const SPAN_MS = 1000
const TURN_SPAN_MS = 10

/** The next id. That of the running code does not help: a beat's timer is armed again and keeps its first id. */
const nextId = () => {
  const resource = new AsyncResource('LOOPWATCH', { requireManualDestroy: true })
  // Hooks of the application may count living resources.
  return resource.emitDestroy().asyncId()
}

/**
 * Detects that following work through promises costs too much, where AsyncLocalStorage is built on async_hooks (Node.js
 * 20 and 22). Each promise takes an id, and an `await` takes three. Code with three million awaits took 0.8 to 1.0 s
 * instead of 0.2.
 */
class FollowingCost {
  #running
  #next
  #atMs = -Infinity
  #id = 0
  #turnAtMs = -Infinity
  #turnId = 0

  /** @param {{ running?: () => number, next?: () => number }} [ids] the id of the running code, and the next one */
  constructor ({ running = executionAsyncId, next = nextId } = {}) {
    this.#running = running
    this.#next = next
  }

  /** @param {number} nowMs @returns {boolean} whether it costs too much */
  beat (nowMs) {
    const id = this.#turnId = this.#next()
    this.#turnAtMs = nowMs
    if (nowMs - this.#atMs < SPAN_MS) return false
    const isMuch = id - this.#id > (nowMs - this.#atMs) * IDS_PER_MS
    this.#atMs = nowMs
    this.#id = id
    return isMuch
  }

  /** Whether the turn in progress costs too much. @param {number} nowMs */
  interrupt (nowMs) {
    const spanMs = nowMs - this.#turnAtMs
    return spanMs >= TURN_SPAN_MS && this.#running() - this.#turnId > spanMs * IDS_PER_MS
  }
}

exports.FollowingCost = FollowingCost
