'use strict'

/** Of beats that are made up: so far the thread may have run already when it was found not to be parked. */
const PERIOD_MS = 50
/** Within this much CPU time after its answer a thread goes back to waiting. */
const SETTLE_MS = 1
/** Where CPU time is not known, waiting is taken for granted for so long after an answer. */
const TRUST_MS = 1000

/**
 * @typedef {Omit<import('./sampler').Sample, 'idleMs'> & { idleMs: number | null }} PresentSample
 * whose idle time is not known where the loop does not turn
 *
 * @typedef {object} Seen what a look has of a thread
 * @property {PresentSample | null} sample
 * @property {import('./kernel').Reading} reading
 * @property {import('../bridge/beat-slots').Beat} beat
 * @property {import('./detector').Gap[]} gaps
 */

/**
 * Tells a worker thread that waits for work from one that is blocked. Pools (piscina, tinypool) have
 * idle workers wait in Atomics.wait, and their loops then do not turn for hours, tasks included. A
 * thread that was found there, and has had no CPU time since, counts as idle: beats are made up
 * for it, so that a task that keeps it busy is a block of its own.
 */
class Parking {
  /** Made-up beats since the last real one; each has a number of its own. */
  #count = 0
  #realBeats = 0
  #atMs = 0
  #isParked = false
  #isSettling = false
  #answeredAtMs = 0
  /** @type {number | null} */
  #cpuMs = null
  /** Time spent waiting so far. */
  parkedMs = 0

  /** @param {Seen} seen @returns {Seen} with made-up beats instead of silence */
  adjust ({ sample, reading, beat, gaps }) {
    const adjustedGaps = gaps.map((gap) => this.#count > 0 && gap.beats === this.#realBeats
      ? { ...gap, startMs: this.#atMs, idleMs: 0, periodMs: PERIOD_MS, beats: this.#number(gap.beats) }
      : gap)
    if (beat.beats !== this.#realBeats) {
      this.#realBeats = beat.beats
      this.#count = 0
      this.#isParked = false
    }
    const isPresent = sample !== null && sample.beats === beat.beats
    if (isPresent && isWaiting(sample)) this.#park(sample.atMs, beat.atMs, reading.cpuMs)
    else if (isPresent) this.#isParked = false
    else if (this.#isParked) this.#stay(reading)
    const adjustedSample = sample && this.#count > 0 && isPresent ? { ...sample, beats: this.#number(beat.beats), idleMs: null } : sample
    return { reading, gaps: adjustedGaps, sample: adjustedSample, beat: this.beat(beat) }
  }

  /** The last beat, made up where the thread waits. @param {import('../bridge/beat-slots').Beat} beat */
  beat (beat) {
    return this.#count === 0 || beat.beats !== this.#realBeats ? beat : { ...beat, beats: this.#number(beat.beats), atMs: this.#atMs, periodMs: PERIOD_MS }
  }

  /** @param {number} atMs @param {number} beatAtMs @param {number | null} cpuMs */
  #park (atMs, beatAtMs, cpuMs) {
    // What came before it, since the last beat, is known to be waiting only where it was seen to be.
    this.#count++
    if (this.#isParked) this.parkedMs += Math.max(0, atMs - this.#atMs)
    this.#atMs = Math.max(atMs, beatAtMs)
    this.#isParked = true
    this.#isSettling = true
    this.#answeredAtMs = atMs
    this.#cpuMs = cpuMs
  }

  /** @param {import('./kernel').Reading} reading */
  #stay ({ atMs, cpuMs }) {
    const ranMs = cpuMs === null || this.#cpuMs === null ? null : cpuMs - this.#cpuMs
    const stays = ranMs === null ? atMs - this.#answeredAtMs < TRUST_MS : ranMs <= (this.#isSettling ? SETTLE_MS : 0)
    this.#isSettling = false
    this.#cpuMs = cpuMs
    this.#isParked = stays
    if (!stays) return
    this.parkedMs += Math.max(0, atMs - this.#atMs)
    this.#atMs = Math.max(atMs, this.#atMs)
  }

  /** @param {number} beats real ones, an Int32 */
  #number (beats) {
    return beats + this.#count * 2 ** 32
  }
}

/** @param {PresentSample} sample */
function isWaiting ({ frames }) {
  return frames.length > 0 && frames[0].file === null && frames[0].function === 'wait'
}

exports.Parking = Parking
