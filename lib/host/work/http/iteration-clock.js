'use strict'

// Fake timers that a test suite installs later must not stop the clock, so this is bound at load.
const { setImmediate } = require('node:timers')
const { nowMs } = require('../../../util/clock')

/**
 * The time, read once in each turn of the loop. The loop takes all events that the kernel has for it and handles them
 * in order, so the last one has waited for all others. This also saves a busy server a clock reading for each request.
 */
class IterationClock {
  #atMs = 0
  #isOver = true
  #end = () => { this.#isOver = true }

  /** Monotonic ms of the first call in this turn. */
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
