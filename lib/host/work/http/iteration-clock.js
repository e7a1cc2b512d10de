'use strict'

// Bound at load, so that fake timers that a test suite installs later do not stop the clock.
const { setImmediate } = require('node:timers')
const { nowMs } = require('../../../util/clock')

/**
 * The time, read once in each turn of the loop. The loop takes all that the kernel has for it and handles it in order,
 * so what comes last has waited for all before. It also saves a busy server a clock reading for each request.
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
