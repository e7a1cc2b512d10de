'use strict'

/** A thread found waiting is polled twice in this time, so that a made-up beat is at most this much late. */
const PERIOD_MS = 50
/** For so many polls after an answer, sleeps do not count: an answer takes locks, for which a thread may sleep. */
const EXCUSED_POLLS = 2
/** For this long after an answer, waiting is taken for granted where the kernel does not count sleeps. */
const TRUST_MS = 1000

/**
 * @typedef {Omit<import('../loop/sampler').Sample, 'idleMs'> & { idleMs: number | null }} PresentSample
 * with idle time null where the loop does not turn
 *
 * @typedef {object} Seen what a poll has of a thread
 * @property {PresentSample | null} sample
 * @property {import('../kernel/thread-stats').Reading} reading
 * @property {import('../loop/detector').DoubtfulBeat} beat
 * @property {import('../loop/detector').LateBeat[]} lateBeats
 */

/**
 * Tells a worker thread that waits for work from one that is blocked. Idle workers of a pool (piscina) wait in
 * Atomics.wait, and their loops do not turn for hours, tasks included. Once a thread was found there, each sleep counts
 * as a turn until its loop turns again: beats are made up for it. So a task that keeps the CPU without sleeping is a
 * block of its own, and neither the waiting nor a row of short tasks is one. A task that sleeps itself (files, locks)
 * is missed.
 */
class AtomicsWaitIdle {
  #sleeps
  /** Made-up beats since the last real one, each with a number of its own. */
  #count = 0
  #realBeats = 0
  #atMs = 0
  #answeredAtMs = 0
  #excused = 0
  /** @type {number | null} */
  #lastSleeps = null
  /** @type {number | null} */
  #cpuMs = null
  /** Time found to be spent waiting so far. */
  waitedMs = 0

  /** @param {() => number | null} sleeps of the thread so far, null where the kernel does not count them */
  constructor (sleeps) {
    this.#sleeps = sleeps
  }

  /** Whether the thread was found waiting and its loop has not turned since. */
  get isOn () {
    return this.#count > 0
  }

  /** @param {Seen} seen @returns {Seen} with made-up beats where real ones are overdue */
  adjust ({ sample, reading, beat, lateBeats }) {
    const made = { startMs: this.#atMs, idleMs: 0, periodMs: 0, doubtMs: PERIOD_MS, cpuMs: null }
    const adjusted = lateBeats.map((late) => this.#count > 0 && late.beats === this.#realBeats
      ? { ...late, ...made, beats: this.#number(late.beats) }
      : late)
    if (beat.beats !== this.#realBeats) {
      this.#realBeats = beat.beats
      this.#count = 0
    }
    const isPresent = sample !== null && sample.beats === beat.beats
    if (isPresent && isWaiting(sample)) this.#found(sample.atMs, reading)
    else if (this.#count > 0) this.#follow(reading, isPresent)
    return {
      reading,
      lateBeats: adjusted,
      beat: this.beat(beat),
      sample: isPresent && this.#count > 0 ? { ...sample, beats: this.#number(beat.beats), idleMs: null } : sample
    }
  }

  /** The last beat, made up where the thread waits. @param {import('../loop/detector').DoubtfulBeat} beat */
  beat (beat) {
    if (this.#count === 0 || beat.beats !== this.#realBeats) return beat
    return { ...beat, beats: this.#number(beat.beats), atMs: this.#atMs, periodMs: 0, doubtMs: PERIOD_MS, cpuMs: null }
  }

  /** @param {number} atMs @param {import('../kernel/thread-stats').Reading} reading */
  #found (atMs, { cpuMs }) {
    this.#count++
    this.#atMs = atMs
    this.#answeredAtMs = atMs
    this.#lastSleeps = this.#sleeps()
    this.#cpuMs = cpuMs
  }

  /**
   * @param {import('../kernel/thread-stats').Reading} reading
   * @param {boolean} isAnswered from outside of Atomics.wait
   */
  #follow ({ atMs, cpuMs }, isAnswered) {
    this.#excused = isAnswered ? EXCUSED_POLLS : Math.max(0, this.#excused - 1)
    // A thread that had no CPU time is where it was.
    const hasRun = cpuMs === null || cpuMs !== this.#cpuMs
    const sleeps = hasRun ? this.#sleeps() : this.#lastSleeps
    const hasSlept = sleeps === null
      ? atMs - this.#answeredAtMs < TRUST_MS
      : sleeps !== this.#lastSleeps && this.#excused === 0
    if (hasRun && hasSlept) this.#count++
    if (!hasRun || hasSlept) {
      this.waitedMs += Math.max(0, atMs - this.#atMs - ranMs(this.#cpuMs, cpuMs))
      this.#atMs = atMs
    }
    this.#lastSleeps = sleeps
    this.#cpuMs = cpuMs
  }

  /** A number that no real beat has. @param {number} beats real ones, an Int32 */
  #number (beats) {
    return beats + this.#count * 2 ** 32
  }
}

/** @param {number | null} fromMs @param {number | null} toMs */
function ranMs (fromMs, toMs) {
  return fromMs === null || toMs === null ? 0 : toMs - fromMs
}

/** @param {PresentSample} sample */
function isWaiting ({ frames }) {
  return frames.length > 0 && frames[0].file === null && frames[0].function === 'wait'
}

exports.AtomicsWaitIdle = AtomicsWaitIdle
exports.PERIOD_MS = PERIOD_MS
