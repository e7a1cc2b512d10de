'use strict'

const { minBlockGapMs } = require('../../bridge/beat')

/** A silent thread is judged this often: the kernel's account of a running one may be 4 ms old. */
const WINDOW_MS = 50
/** Asleep for more than this share of it the thread was waiting: V8's own locks take less. */
const ASLEEP = 0.2

/**
 * Tells a worker thread that waits from one that computes, where nobody may ask it (Parking asks): idle workers of a
 * pool wait in Atomics.wait, without a turn of their loop. A silent thread that sleeps counts as one that turns:
 * beats are made up for it, so that neither its waiting nor a row of short tasks is a block. A block that sleeps
 * itself (files, locks, execSync) is therefore missed, and so is each where CPU time is not known.
 */
class Sleeping {
  #thresholdMs
  #rest
  /** How often it had gone to sleep when it was judged last, null in calm. @type {number | null} */
  #sleeps = null
  /** Made-up beats since the last real one; each has a number of its own. */
  #count = 0
  #realBeats = 0
  #atMs = 0
  /** @type {import('../kernel/main-thread').Reading | null} */
  #last = null
  /** Time found to be spent waiting so far. */
  parkedMs = 0

  /** @param {number} thresholdMs @param {() => { sleeps: number | null, isAsleep: boolean }} rest what the kernel tells of the thread */
  constructor (thresholdMs, rest) {
    this.#thresholdMs = thresholdMs
    this.#rest = rest
  }

  /** Whether the thread was found waiting and its loop has not turned since. */
  get isOn () {
    return this.#count > 0
  }

  /** @param {import('./atomics-wait-idle').Seen} seen @returns {import('./atomics-wait-idle').Seen} with made-up beats instead of silence */
  adjust ({ sample, reading, beat, gaps }) {
    const adjusted = gaps.map((gap) => this.#count > 0 && gap.beats === this.#realBeats
      ? { ...gap, startMs: this.#atMs, idleMs: Math.min(gap.idleMs, gap.endMs - this.#atMs), periodMs: 0, doubtMs: WINDOW_MS, beats: this.#number(gap.beats) }
      : gap)
    if (beat.beats !== this.#realBeats) {
      this.#realBeats = beat.beats
      this.#count = 0
    }
    if (reading.atMs < beat.atMs + minBlockGapMs(this.#thresholdMs, beat.periodMs)) {
      this.#last = reading
      this.#sleeps = null
    } else {
      this.#follow(reading, Math.max(this.#last?.atMs ?? 0, beat.atMs + beat.periodMs))
    }
    return { sample, reading, gaps: adjusted, beat: this.beat(beat) }
  }

  /** The last beat, made up where the thread waits. @param {import('../loop/detector').DoubtfulBeat} beat */
  beat (beat) {
    if (this.#count === 0 || beat.beats !== this.#realBeats) return beat
    // It ends a silence that began within the period of the real one.
    const doubtMs = WINDOW_MS + (this.#count === 1 ? beat.periodMs : 0)
    return { ...beat, beats: this.#number(beat.beats), atMs: this.#atMs, periodMs: 0, doubtMs }
  }

  /** @param {import('../kernel/main-thread').Reading} reading @param {number} fromMs since when it has been silent and was not judged */
  #follow (reading, fromMs) {
    const silentMs = reading.atMs - fromMs
    if (silentMs < WINDOW_MS) return
    const asleepMs = Math.max(0, silentMs - grown(this.#last, reading, 'cpuMs') - grown(this.#last, reading, 'runQueueMs'))
    this.#last = reading
    const { sleeps, isAsleep } = this.#rest()
    const hasSlept = isAsleep || (this.#sleeps !== null && sleeps !== this.#sleeps)
    this.#sleeps = sleeps
    // Time in the run queue is counted only once it is over: one that waits for a CPU does not sleep.
    if (!hasSlept || asleepMs < ASLEEP * silentMs) return
    this.#count++
    this.#atMs = reading.atMs
    this.parkedMs += asleepMs
  }

  /** @param {number} beats real ones, an Int32 */
  #number (beats) {
    return beats + this.#count * 2 ** 32
  }
}

/** @param {import('../kernel/main-thread').Reading | null} from @param {import('../kernel/main-thread').Reading} to @param {'cpuMs' | 'runQueueMs'} what */
function grown (from, to, what) {
  return Math.max(0, (to[what] ?? 0) - (from?.[what] ?? to[what] ?? 0))
}

exports.Sleeping = Sleeping
exports.WINDOW_MS = WINDOW_MS
