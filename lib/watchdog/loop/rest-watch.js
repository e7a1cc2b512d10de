'use strict'

const { lookMs, RESTS } = require('../../bridge/beat')

/** @typedef {import('../../bridge/beat').Beat} Beat */

/**
 * Watches a loop that rests, whose beats are too rare to show a block in time. It runs at most one turn until its next
 * beat. Each poll that finds it waiting for events counts as a beat. If a poll finds the thread awake, the turn began
 * after the previous poll. The CPU time used since narrows that down.
 */
class RestWatch {
  #sight
  #counters
  #lookMs
  #beats = -1
  #sleptAtMs = 0
  /** @type {number | null} */
  #activeAtMs = null
  /** @type {number | null} the thread's total when it was last seen asleep */
  #ranMs = null

  /**
   * @param {object} parts @param {number} parts.thresholdMs
   * @param {Pick<import('../kernel/epoll-sleep-probe').SleepSight, 'canSee' | 'isAsleep' | 'learn'>} parts.sight
   * @param {Pick<import('../../bridge/counters').Counters, 'add' | 'take'>} parts.counters
   */
  constructor ({ sight, counters, thresholdMs }) {
    this.#sight = sight
    this.#counters = counters
    this.#lookMs = lookMs(thresholdMs)
    // Clears the mark of an earlier watchdog.
    counters.take('seesSleep')
  }

  get dueAtMs () {
    return this.#activeAtMs === null ? this.#sleptAtMs + this.#lookMs : Infinity
  }

  /**
   * @param {number} nowMs @param {Beat} beat the last one
   * @param {{ cpuMs: number | null, runQueueMs: number | null }} reading of the thread
   * @returns {import('./detector').DoubtfulBeat} what counts as the last beat
   */
  see (nowMs, beat, reading) {
    if (beat.rest !== RESTS || !this.#sight.canSee) return this.#learn(nowMs, beat)
    if (beat.beats !== this.#beats) {
      this.#beats = beat.beats
      this.#sleptAtMs = beat.atMs
      this.#activeAtMs = null
      this.#ranMs = null
    }
    const ranMs = reading.cpuMs === null || reading.runQueueMs === null ? null : reading.cpuMs + reading.runQueueMs
    if (this.#sight.isAsleep) {
      this.#sleptAtMs = nowMs
      this.#activeAtMs = null
      this.#ranMs = ranMs
    } else this.#activeAtMs ??= nowMs
    const sinceMs = ranMs === null || this.#ranMs === null ? 0 : ranMs - this.#ranMs
    const latestMs = Math.min(this.#activeAtMs ?? nowMs, nowMs - sinceMs)
    const idleMs = beat.idleMs + this.#sleptAtMs - beat.atMs
    return {
      ...beat,
      atMs: this.#sleptAtMs,
      idleMs,
      periodMs: 0,
      latestMs: Math.max(this.#sleptAtMs, latestMs)
    }
  }

  /** @param {number} nowMs @param {Beat} beat */
  #learn (nowMs, beat) {
    this.#sleptAtMs = Infinity
    this.#activeAtMs = null
    if (this.#sight.canSee) return beat
    this.#sight.learn(nowMs, beat)
    // From now on the loop may rest.
    if (this.#sight.canSee) this.#counters.add('seesSleep', 1)
    return beat
  }
}

exports.RestWatch = RestWatch
