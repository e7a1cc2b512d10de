'use strict'

const { lookMs, RESTS, TURNS } = require('../../bridge/beat')

/**
 * @typedef {import('../../bridge/beat').Beat} Beat
 * @typedef {import('./detector').DoubtfulBeat} DoubtfulBeat
 */

/**
 * Watches a loop that rests, whose beats come too rarely to tell a block in time. It runs at most one turn until its
 * next beat, and the kernel tells whether it has begun: each look at a loop that waits for events counts as a beat, and
 * a turn that the next looks see began between two of them. What the thread has run since tells it closer.
 */
class RestWatch {
  #sight
  #looks
  #lookMs
  #beats = -1
  #sleptAtMs = 0
  /** @type {number | null} */
  #activeAtMs = null
  /** @type {number | null} as the thread was seen asleep last */
  #ranMs = null

  /**
   * @param {object} parts
   * @param {Pick<import('../kernel/sleep-sight').SleepSight, 'canSee' | 'isAsleep' | 'learn'>} parts.sight
   * @param {Pick<import('../../bridge/beat').LookSlots, 'sleeps' | 'works' | 'clear'>} parts.looks
   * @param {number} parts.thresholdMs
   */
  constructor ({ sight, looks, thresholdMs }) {
    this.#sight = sight
    this.#looks = looks
    this.#lookMs = lookMs(thresholdMs)
    looks.clear()
  }

  /** When to look again at the latest. */
  get dueAtMs () {
    return this.#activeAtMs === null ? this.#sleptAtMs + this.#lookMs : Infinity
  }

  /**
   * @param {number} nowMs
   * @param {Beat} beat the last one
   * @param {{ cpuMs: number | null, runQueueMs: number | null }} reading of the thread
   * @returns {DoubtfulBeat} what counts as the last one
   */
  see (nowMs, beat, reading) {
    if (beat.rest === TURNS || beat.rest === undefined || !this.#sight.canSee) return this.#learn(nowMs, beat)
    if (beat.beats !== this.#beats) {
      this.#beats = beat.beats
      this.#sleptAtMs = beat.atMs
      this.#activeAtMs = null
      this.#ranMs = null
    }
    const ranMs = reading.cpuMs === null || reading.runQueueMs === null ? null : reading.cpuMs + reading.runQueueMs
    if (this.#sight.isAsleep) this.#sleeps(nowMs, ranMs)
    else if (this.#activeAtMs === null) {
      this.#activeAtMs = nowMs
      this.#looks.works(nowMs)
    }
    const sinceMs = ranMs === null || this.#ranMs === null ? 0 : ranMs - this.#ranMs
    const latestMs = Math.min(this.#activeAtMs ?? nowMs, nowMs - sinceMs)
    const idleMs = beat.idleMs + this.#sleptAtMs - beat.atMs
    return {
      ...beat,
      atMs: this.#sleptAtMs,
      idleMs,
      periodMs: 0,
      latestMs: Math.max(this.#sleptAtMs, latestMs),
      isIdleLost: beat.rest !== RESTS
    }
  }

  /** @param {number} nowMs @param {number | null} ranMs */
  #sleeps (nowMs, ranMs) {
    this.#sleptAtMs = nowMs
    this.#activeAtMs = null
    this.#ranMs = ranMs
    this.#looks.sleeps(nowMs, ranMs ?? NaN)
  }

  /** @param {number} nowMs @param {Beat} beat */
  #learn (nowMs, beat) {
    this.#sleptAtMs = Infinity
    this.#activeAtMs = null
    if (this.#sight.canSee) return beat
    this.#sight.learn(nowMs, beat)
    // From now on the loop may rest.
    if (this.#sight.canSee) this.#looks.sleeps(nowMs, NaN)
    return beat
  }
}

exports.RestWatch = RestWatch
