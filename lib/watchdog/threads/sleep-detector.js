'use strict'

const { minBlockGapMs } = require('../../bridge/beat')

/**
 * @import { Reading } from '../loop/kernel-evidence'
 * @import { DoubtfulBeat } from '../loop/detector'
 * @import { PollReading } from '../loop/monitor'
 */

/** A thread whose beat is overdue is judged this often: the kernel's figures of a running thread may be 4 ms old. */
const WINDOW_MS = 50
/** A thread that slept for more than this share of that time was waiting: V8's own locks take less. */
const ASLEEP = 0.2
/** Numbers of real beats are Int32: a multiple of this added to one of them gives a number that no real beat has. */
const NUMBERS = 2 ** 32

/**
 * Distinguishes worker threads that wait from those that compute. Idle threads of a pool wait in Atomics.wait, without
 * a turn of their loop. A thread that sleeps while its beat is overdue counts as turning: beats are made up for it, so
 * that neither its waiting nor a row of short tasks is a block. So a block that sleeps itself (files, locks, execSync)
 * is missed, as is every block if CPU time is unknown.
 */
class SleepDetector {
  #thresholdMs
  #rest
  /** Times that it had gone to sleep when last judged, null while no beat is overdue. @type {number | null} */
  #sleeps = null
  /** CPU time that the hypervisor had taken by then. @type {number | null} */
  #stolenMs = null
  /** Made-up beats since the last real one, each with a number of its own. */
  #count = 0
  #realBeats = 0
  #atMs = 0
  /** @type {Reading | null} */
  #last = null
  waitedMs = 0

  /**
   * @param {number} thresholdMs
   * @param {(nowMs: number) => { sleeps: number | null, isAsleep: boolean, stolenMs: number | null }} rest of it
   */
  constructor (thresholdMs, rest) {
    this.#thresholdMs = thresholdMs
    this.#rest = rest
  }

  /** The thread was caught waiting, and its loop has not turned since. */
  get isOn () {
    return this.#count > 0
  }

  /** @param {PollReading} pollReading @returns {PollReading} with made-up beats */
  adjust ({ sample, reading, beat, lateBeats }) {
    const made = { startMs: this.#atMs, periodMs: 0, doubtMs: WINDOW_MS }
    const adjusted = lateBeats.map((late) => this.#count > 0 && late.beats === this.#realBeats
      ? { ...late, ...made, idleMs: Math.min(late.idleMs, late.endMs - this.#atMs), beats: this.#number(late.beats) }
      : late)
    if (beat.beats !== this.#realBeats) {
      this.#realBeats = beat.beats
      this.#count = 0
    }
    if (reading.atMs < beat.atMs + minBlockGapMs(this.#thresholdMs, beat.periodMs)) {
      this.#last = reading
      this.#sleeps = null
      this.#stolenMs = null
    } else {
      this.#follow(reading, beat.atMs + beat.periodMs)
    }
    return { sample, reading, lateBeats: adjusted, beat: this.beat(beat) }
  }

  /** The last beat, made up if the thread waits. @param {DoubtfulBeat} beat */
  beat (beat) {
    if (this.#count === 0 || beat.beats !== this.#realBeats) return beat
    // The first made-up beat stands for a wait that began within the period of the real one.
    const doubtMs = WINDOW_MS + (this.#count === 1 ? beat.periodMs : 0)
    return { ...beat, beats: this.#number(beat.beats), atMs: this.#atMs, periodMs: 0, doubtMs }
  }

  /** @param {Reading} reading @param {number} fromMs since when no beat has come */
  #follow (reading, fromMs) {
    // If a thread is first seen in the middle of something, nothing is known of the time before.
    const last = this.#last ??= reading
    const overdueMs = reading.atMs - Math.max(last.atMs, fromMs)
    const isGone = reading.cpuMs === null && last.cpuMs !== null
    if (overdueMs < WINDOW_MS || isGone) return
    const { sleeps, isAsleep, stolenMs } = this.#rest(reading.atMs)
    // A stolen CPU runs nobody, and no counter of the thread shows it.
    const lostMs = Math.max(0, (stolenMs ?? 0) - (this.#stolenMs ?? stolenMs ?? 0))
    const busyMs = grown(last, reading, 'cpuMs') + grown(last, reading, 'runQueueMs') + lostMs
    const asleepMs = Math.max(0, overdueMs - busyMs)
    this.#last = reading
    this.#stolenMs = stolenMs
    const hasSlept = isAsleep || (this.#sleeps !== null && sleeps !== this.#sleeps)
    this.#sleeps = sleeps
    // A thread that waits for a CPU does not sleep, and the kernel counts that wait only at its end.
    if (!hasSlept || asleepMs < ASLEEP * overdueMs) return
    this.#count++
    this.#atMs = reading.atMs
    this.waitedMs += asleepMs
  }

  /** @param {number} beats of the last real one */
  #number (beats) {
    return beats + this.#count * NUMBERS
  }
}

/** @param {Reading} from @param {Reading} to @param {'cpuMs' | 'runQueueMs'} what */
function grown (from, to, what) {
  return Math.max(0, (to[what] ?? 0) - (from[what] ?? to[what] ?? 0))
}

exports.SleepDetector = SleepDetector
