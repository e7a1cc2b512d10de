'use strict'

const { RESTS_SAMPLED, TURNS } = require('../../bridge/beat')
const { Activity } = require('../../util/activity')

/**
 * @import { Beat } from '../../bridge/beat'
 * @import { Counters } from '../../bridge/counters'
 * @import { EpollSleepProbe } from '../kernel/epoll-sleep-probe'
 * @import { DoubtfulBeat } from './detector'
 */

/** The watchdog polls a resting loop every 0.9 thresholds, so it sees a block of one threshold at least once. */
const LOOK_SHARE = 0.9
const MOST_LOOK_MS = 250
/** A loop that has hardly worked for this long, and has never blocked out of such a rest, is polled half as often. */
const DEEP_MS = 10000
const DEEP_LOOKS = 2

/**
 * Watches a loop that rests, whose beats are too rare to show a block in time. It runs at most one turn until its next
 * beat. A poll that finds it waiting for events counts as a beat. If a poll finds the thread awake, the turn began
 * after the previous poll; the CPU time since narrows that down.
 */
class RestWatch {
  #sight
  #counters
  #thresholdMs
  #beats = -1
  #sleptAtMs = 0
  /** @type {number | null} */
  #activeAtMs = null
  /** @type {number | null} the thread's total when it was last seen asleep */
  #ranMs = null
  #activity = new Activity()
  #workedAtMs = Infinity
  #hasBlocked = false
  #isDeep = false

  /**
   * @param {object} parts @param {number} parts.thresholdMs
   * @param {Pick<EpollSleepProbe, 'canSee' | 'isAsleep' | 'learn'>} parts.sight
   * @param {Pick<Counters, 'add' | 'take' | 'setWoken'>} parts.counters
   */
  constructor ({ sight, counters, thresholdMs }) {
    this.#sight = sight
    this.#counters = counters
    this.#thresholdMs = thresholdMs
    // Clears the mark of an earlier watchdog.
    counters.take('seesSleep')
  }

  get dueAtMs () {
    return this.#activeAtMs === null ? this.#sleptAtMs + this.#lookMs : Infinity
  }

  get #lookMs () {
    return Math.min(this.#thresholdMs * LOOK_SHARE * (this.#isDeep ? DEEP_LOOKS : 1), MOST_LOOK_MS)
  }

  blocked () {
    this.#hasBlocked ||= this.#isDeep
    this.#isDeep = false
  }

  /**
   * @param {number} nowMs @param {Beat} beat @param {{ cpuMs: number | null, runQueueMs: number | null }} reading
   * @returns {DoubtfulBeat} what counts as the last beat
   */
  see (nowMs, beat, reading) {
    if (this.#activity.count(beat.atMs, beat.activeMs)) this.#workedAtMs = nowMs
    this.#isDeep = !this.#hasBlocked && nowMs - this.#workedAtMs >= DEEP_MS
    if ((beat.rest ?? TURNS) === TURNS || !this.#sight.canSee) return this.#learn(nowMs, beat)
    if (beat.beats !== this.#beats) {
      this.#beats = beat.beats
      this.#sleptAtMs = beat.atMs
      this.#activeAtMs = null
      this.#ranMs = null
    }
    const ranMs = reading.cpuMs === null || reading.runQueueMs === null ? null : reading.cpuMs + reading.runQueueMs
    const wasActiveAtMs = this.#activeAtMs
    if (this.#sight.isAsleep) {
      this.#sleptAtMs = nowMs
      this.#activeAtMs = null
      this.#ranMs = ranMs
    } else this.#activeAtMs ??= nowMs
    const sinceMs = ranMs === null || this.#ranMs === null ? 0 : ranMs - this.#ranMs
    const latestMs = Math.max(this.#sleptAtMs, Math.min(this.#activeAtMs ?? nowMs, nowMs - sinceMs))
    // A single poll may have met the thread in V8's handler of a signal.
    if (beat.rest === RESTS_SAMPLED && wasActiveAtMs !== null) {
      // The host cannot tell by itself when its turn began.
      const beats = this.#activeAtMs === null ? -1 : beat.beats
      const woken = { beats, afterMs: latestMs - beat.atMs, doubtMs: latestMs - this.#sleptAtMs }
      this.#counters.setWoken(woken)
    }
    const idleMs = beat.idleMs + this.#sleptAtMs - beat.atMs
    const periodMs = this.#isDeep ? Math.max(0, this.#lookMs - this.#thresholdMs / 2) : 0
    return { ...beat, atMs: this.#sleptAtMs, idleMs, periodMs, latestMs }
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
