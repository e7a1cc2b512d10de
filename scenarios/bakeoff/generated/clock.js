'use strict'

// CPU time of this thread, by which the lines of a program are measured: on a busy machine, wall time charges a line
// for the work of other processes.

/** @typedef {{ user: number, system: number }} Usage in us */

const { threadCpuUsage } = /** @type {{ threadCpuUsage?: () => Usage }} */ (process)

/**
 * Linux updates a thread's own figure once in a tick (4 ms). Reading the figure of the process updates it at once.
 * Node.js 20 has only the latter, which includes the threads of V8: end() bounds it by wall time.
 */
exports.cpuMs = () => {
  const whole = process.cpuUsage()
  const { user, system } = threadCpuUsage === undefined ? whole : threadCpuUsage()
  return (user + system) / 1000
}

/** Spans that show how much of its own time the clock measures. The first ones run before V8 optimizes it. */
const SPANS = 20000

/** Adds up the time of each line between begin() and end(line). */
exports.LineClock = class {
  #cpuMs = 0
  #wallMs = 0
  /** Time of an empty span. */
  #ownMs = 0
  /** @type {number[]} by line */
  ms = []

  constructor () {
    this.#emptySpans()
    this.#ownMs = this.#emptySpans() / SPANS
    this.reset()
  }

  #emptySpans () {
    this.reset()
    for (let i = 0; i < SPANS; i++) {
      this.begin()
      this.end(0)
    }
    return this.ms[0]
  }

  reset () {
    this.ms = Array(8).fill(0)
  }

  begin () {
    this.#wallMs = performance.now()
    this.#cpuMs = exports.cpuMs()
  }

  /** @param {number} line */
  end (line) {
    const ms = exports.cpuMs() - this.#cpuMs
    this.ms[line] += (threadCpuUsage ? ms : Math.min(ms, performance.now() - this.#wallMs)) - this.#ownMs
  }
}
