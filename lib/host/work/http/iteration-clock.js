'use strict'

// Bound at load, so that fake timers installed later by a test suite do not hold the time.
const { setImmediate } = require('node:timers')
const { nowMs } = require('../../../util/clock')

/**
 * The time, read once in each turn of the event loop. A loop takes everything that has come out of the kernel at
 * once and then works it off, one after the other: what it comes to last has waited for all before it. It also
 * spares a busy server a reading for each request.
 */
class IterationClock {
  #atMs = 0
  #isOver = true
  #end = () => { this.#isOver = true }

  /** Monotonic ms: when it was first asked for in this turn. */
  nowMs () {
    if (this.#isOver) {
      this.#isOver = false
      this.#atMs = nowMs()
      setImmediate(this.#end)
    }
    return this.#atMs
  }
}

exports.IterationClock = IterationClock
