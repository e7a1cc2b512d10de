'use strict'

const { nowMs: sharedNowMs } = require('../../util/clock')

/** Scrapes come at least this often, so `max_over_time` of any range misses no block. */
const WINDOW_MS = 60_000

/** The longest value of the last minute, by key. Reading does not reset it, so two scrapers see the same. */
class RecentLongest {
  /**
   * Values by key, each smaller than the one before. A new value outlives earlier ones, so it removes those that are
   * not larger. @type {Map<string, { atMs: number, value: number }[]>}
   */
  #falling = new Map()
  #nowMs

  /** @param {() => number} [nowMs] */
  constructor (nowMs = sharedNowMs) {
    this.#nowMs = nowMs
  }

  /** @param {string} key @param {number} value */
  add (key, value) {
    const kept = this.#current(key).filter((each) => each.value > value)
    this.#falling.set(key, [...kept, { atMs: this.#nowMs(), value }])
  }

  /** @param {string} key @returns {number} 0 if the last minute had none */
  longest (key) {
    return this.#current(key)[0]?.value ?? 0
  }

  /** @param {string} key */
  #current (key) {
    const endMs = this.#nowMs() - WINDOW_MS
    return (this.#falling.get(key) ?? []).filter(({ atMs }) => atMs > endMs)
  }
}

exports.RecentLongest = RecentLongest
