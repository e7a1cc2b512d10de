'use strict'

const { summarise } = require('./summary')

/** @typedef {import('./user').Timing} Timing */

const PARTS = /** @type {const} */ (['blockedMs', 'connectingMs', 'durationMs', 'receivingMs', 'sendingMs', 'waitingMs'])

/** Outcomes of the requests of a run. */
class Tally {
  /** @type {Record<typeof PARTS[number] | 'latencyMs', number[]>} */
  #values = {
    blockedMs: [],
    connectingMs: [],
    durationMs: [],
    receivingMs: [],
    sendingMs: [],
    waitingMs: [],
    latencyMs: []
  }

  /** @type {Record<string, number>} */
  #errors = {}
  #failed = 0
  #fresh = 0
  #expect

  /** @param {import('./interface').Expectation} expect */
  constructor (expect) {
    this.#expect = expect
  }

  /**
   * @param {Timing} timing
   * @param {number} latencyMs from when it was due to its end
   * @returns {boolean} it came back right
   */
  add (timing, latencyMs) {
    const fault = this.#faultOf(timing)
    if (fault !== null) {
      this.#failed++
      this.#errors[fault] = (this.#errors[fault] ?? 0) + 1
      return false
    }
    for (const part of PARTS) this.#values[part].push(timing[part])
    this.#values.latencyMs.push(latencyMs)
    this.#fresh++
    return true
  }

  /** @param {Timing} timing */
  #faultOf ({ error, status, body, bodyBytes }) {
    if (error !== null) return error
    if (status !== 200) return `status ${status}`
    if (this.#expect.body !== undefined && body !== this.#expect.body) { return `wrong body ${body?.slice(0, 40)}, not ${this.#expect.body.slice(0, 40)}` }
    if (this.#expect.bodyBytes !== undefined && bodyBytes !== this.#expect.bodyBytes) { return `${bodyBytes} bytes, not ${this.#expect.bodyBytes}` }
    return null
  }

  /** Right ones since the last call. */
  takeFresh () {
    const fresh = this.#fresh
    this.#fresh = 0
    return fresh
  }

  describe () {
    const { latencyMs, ...parts } = this.#values
    return {
      requests: latencyMs.length,
      failed: this.#failed,
      errors: this.#errors,
      latenciesMs: Float64Array.from(latencyMs),
      latencyMs: summarise(latencyMs),
      ...Object.fromEntries(Object.entries(parts).map(([part, values]) => [part, summarise(values)]))
    }
  }
}

exports.Tally = Tally
