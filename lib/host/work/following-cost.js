'use strict'

const { executionAsyncId } = require('node:async_hooks')

/** Node.js takes 0.08 us for each id while anything is followed: from this rate on that is about a tenth of the CPU. */
const IDS_PER_MS = 1000
/** The rate is taken over this time while the loop turns, */
const SPAN_MS = 1000
/** and over this time within a turn. */
const TURN_SPAN_MS = 10

/**
 * Tells when following work through promises costs too much, where AsyncLocalStorage stands on async_hooks (Node.js 20
 * and 22). Each promise then takes a number, so the number of what runs grows as fast as promises are made: three for
 * an `await`. Code of three million awaits took 0.8 to 1.0 s instead of 0.2.
 */
class FollowingCost {
  #asyncId
  #atMs = -Infinity
  #id = 0
  #turnAtMs = -Infinity
  #turnId = 0

  /** @param {() => number} [asyncId] the number of what runs */
  constructor (asyncId = executionAsyncId) {
    this.#asyncId = asyncId
  }

  /** The loop turns. @param {number} nowMs @returns {boolean} whether it costs too much */
  beat (nowMs) {
    const id = this.#turnId = this.#asyncId()
    this.#turnAtMs = nowMs
    if (nowMs - this.#atMs < SPAN_MS) return false
    const isMuch = id - this.#id > (nowMs - this.#atMs) * IDS_PER_MS
    this.#atMs = nowMs
    this.#id = id
    return isMuch
  }

  /** The same in the middle of a turn. @param {number} nowMs */
  interrupt (nowMs) {
    const spanMs = nowMs - this.#turnAtMs
    return spanMs >= TURN_SPAN_MS && this.#asyncId() - this.#turnId > spanMs * IDS_PER_MS
  }
}

exports.FollowingCost = FollowingCost
