'use strict'

const { RESTS_SAMPLED } = require('../../bridge/beat')
const { hasClient: hasClientAt } = require('../../util/kernel/system-call-reader')
const { latestMs } = require('./detector')
const { LATE_MS } = require('./sampler')

/**
 * @import { Reading } from './kernel-evidence'
 * @import { Frame } from '../../types'
 * @import { PollReading } from './monitor'
 * @import { DoubtfulBeat } from './detector'
 * @import { Sample } from './sampler'
 */

/** A paused thread sleeps. One that answers in time and has slept for this share of the time did not run JavaScript. */
const SLEPT = 0.5
/** The same where only the CPU time is known: a thread that waits for a CPU does not use it either. */
const SLEPT_BY_CPU = 0.9
/** The system call in which Node.js waits for the next command of the debugger. */
const PAUSED_IN = 'futex'
/** The longest time for which a block is not reported as it may be a pause: an answer shows which of both it is. */
const UNDECIDED_MS = 1000

/**
 * @typedef {object} Pause
 * @property {number} beats of the turn it is in @property {number} toMs the thread was still paused
 * @property {number | null} ranMs the thread's time by then
 * @typedef {object} Mark the last time at which the thread was looked at
 * @property {number} beats @property {number} atMs
 * @property {number | null} ranMs time on a CPU and waiting for one, if the kernel reports it
 * @property {number | null} cpuMs time on a CPU by the thread's own count
 * @property {boolean} [isDue] nobody has looked yet: the turn began by then
 */

/**
 * Pauses of a thread in a debugger: they are not blocks. Nothing reports them, and neither an open inspector port nor a
 * connected debugger is one. In a pause Node.js evaluates what it is asked, and the thread sleeps otherwise.
 * JavaScript that runs never sleeps; of the calls that sleep, only Atomics.wait() answers, and its frame shows.
 */
class DebuggerPauses {
  /** @type {Pause | null} the last one */
  #pause = null
  /** @type {Mark | null} */
  #mark = null
  /** @type {number | null} the inspector's, as of the last answer */
  #port = null
  #callName
  #hasClient
  #onState

  /**
   * @param {object} parts
   * @param {() => string | null} parts.callName the system call in which the thread sleeps, empty if it runs, null if
   *   that is unknown
   * @param {(port: number) => boolean | null} [parts.hasClient] whether somebody is connected, null if that is unknown
   * @param {(failure: { message: string } | null) => void} parts.onState
   */
  constructor ({ callName, hasClient = hasClientAt, onState }) {
    this.#callName = callName
    this.#hasClient = hasClient
    this.#onState = onState
  }

  /**
   * Takes pauses out of what a poll has read: the turn begins again when a pause ends.
   * @param {PollReading} pollReading
   * @param {Reading} calm the last reading before a beat was overdue
   * @returns {PollReading}
   */
  adjust (pollReading, calm) {
    const { sample, beat, reading } = pollReading
    if (this.#mark?.beats !== beat.beats) this.#mark = markOf(beat, calm, reading)
    if (sample !== null) this.#report(sample.inspectorPort, reading)
    const own = sample?.beats === beat.beats ? sample : null
    if (own !== null && this.#mark.isDue) this.#mark.atMs = Math.min(this.#mark.atMs, startMs(own, beat))
    const beganAtMs = own && this.#beginIfPaused(own, pollReading)
    const isOfTurn = this.#pause?.beats === beat.beats
    const pausedFromMs = beganAtMs ?? (isOfTurn ? this.#follow(reading) : null)
    const judged = { ...pollReading, mayBePaused: !isOfTurn && this.#mayBePaused(reading) }
    return this.#pause === null ? judged : this.#without(this.#pause, judged, pausedFromMs)
  }

  /** Whether the next answer may show a pause: a debugger is there, and the thread slept. @param {Reading} reading */
  #mayBePaused (reading) {
    const port = this.#port
    const before = /** @type {Mark} */ (this.#mark)
    const now = { ...before, atMs: reading.atMs, ranMs: ranOf(reading) }
    if (port === null || now.ranMs === null || now.atMs - before.atMs >= UNDECIDED_MS) return false
    return asleepSince(before, now) !== null && this.#isPausing() && this.#hasClient(port) !== false
  }

  /** Whether the thread waits as in a pause, or runs: the debugger evaluates something. */
  #isPausing () {
    return [PAUSED_IN, ''].includes(this.#callName() ?? PAUSED_IN)
  }

  /**
   * @param {NonNullable<PollReading['sample']>} sample @param {PollReading} pollReading
   * @returns {number | null} since when the thread is paused, null if it is not
   */
  #beginIfPaused (sample, { beat: { beats }, reading }) {
    const before = /** @type {Mark} */ (this.#mark)
    const now = { beats, atMs: reading.atMs, ranMs: ranOf(reading), cpuMs: sample.cpuMs ?? null }
    const { inspectorPort, frames: [innermost] } = sample
    const isOfPause = inspectorPort !== null && innermost !== undefined && !isAtomicsWait(innermost)
    const fromMs = isOfPause && this.#isPausing() ? asleepSince(before, now) : null
    // Without the kernel's figures, only a long time without CPU time is a sign.
    if (fromMs === null && now.ranMs !== null) this.#mark = now
    if (fromMs === null || inspectorPort === null || !isInTime(sample)) return null
    if ((this.#callName() ?? PAUSED_IN) !== PAUSED_IN || this.#hasClient(inspectorPort) === false) return null
    this.#mark = now
    this.#pause = { beats, toMs: now.atMs, ranMs: now.ranMs }
    return fromMs
  }

  /**
   * Whether a pause in progress goes on. Without the kernel's figures, the next answer shows it.
   * @param {Reading} reading @returns {number | null} since when it goes on, null if the thread runs
   */
  #follow (reading) {
    const pause = /** @type {Pause} */ (this.#pause)
    const ranMs = ranOf(reading)
    if (ranMs === null || pause.ranMs === null) return null
    const sinceMs = reading.atMs - pause.toMs
    const runMs = ranMs - pause.ranMs
    if (this.#callName() !== PAUSED_IN && sinceMs - runMs < SLEPT * sinceMs) return null
    this.#pause = { ...pause, toMs: reading.atMs, ranMs }
    return pause.toMs + Math.min(sinceMs, runMs)
  }

  /**
   * @param {Pause} pause @param {PollReading} pollReading @param {number | null} pausedFromMs
   * @returns {PollReading}
   */
  #without (pause, pollReading, pausedFromMs) {
    const { beat, lateBeats, reading } = pollReading
    const ranMs = ranOf(reading)
    const mostMs = ranMs === null || pause.ranMs === null ? Infinity : ranMs - pause.ranMs
    /** When the turn that runs then began. @param {number} atMs */
    const beganMs = (atMs) => Math.max(pause.toMs, atMs - mostMs)
    const rest = lateBeats.map((late) => {
      if (late.beats !== pause.beats) return late
      const startMs = Math.min(late.endMs, beganMs(late.endMs))
      return { ...late, startMs, idleMs: 0, periodMs: 0, doubtMs: 0, cpuMs: null }
    })
    if (beat.beats !== pause.beats) return { ...pollReading, lateBeats: rest }
    const atMs = beganMs(reading.atMs)
    const turn = { ...pollReading, beat: { ...beat, atMs, latestMs: atMs, doubtMs: 0 }, lateBeats: rest }
    return pausedFromMs === null ? turn : { ...turn, sample: null, pausedFromMs }
  }

  /** @param {number | null} port @param {Reading} reading */
  #report (port, reading) {
    this.#port = port
    this.#onState(port === null || ranOf(reading) !== null ? null : { message: `the inspector port ${port} is open` })
  }
}

/** @param {Reading} reading */
const ranOf = ({ cpuMs, runQueueMs }) => cpuMs === null || runQueueMs === null ? null : cpuMs + runQueueMs

/**
 * The thread's time when the beat after this one was due. The calm reading may be older than a block before that.
 * @param {DoubtfulBeat} beat @param {Reading} calm @param {Reading} reading @returns {Mark}
 */
function markOf (beat, calm, reading) {
  const { beats, cpuMs = null } = beat
  const atMs = latestMs(beat)
  const [calmMs, ranMs] = [ranOf(calm), ranOf(reading)]
  const leastMs = ranMs === null ? -Infinity : ranMs - Math.max(0, reading.atMs - atMs)
  return { beats, atMs, ranMs: calmMs === null ? null : Math.max(calmMs, leastMs), cpuMs, isDue: true }
}

/**
 * The start of the turn by the thread's idle time: a thread that slept in a pause may have seemed to rest.
 * @param {Sample} sample @param {DoubtfulBeat} beat
 */
function startMs ({ idleMs }, beat) {
  return beat.rest === RESTS_SAMPLED ? Infinity : beat.atMs + Math.max(0, idleMs - beat.idleMs)
}

/** Since when the thread slept, if it did for most of the time. @param {Mark} before @param {Mark} now */
function asleepSince (before, now) {
  const byKernel = before.ranMs !== null && now.ranMs !== null
  const [from, to, share] = byKernel ? [before.ranMs, now.ranMs, SLEPT] : [before.cpuMs, now.cpuMs, SLEPT_BY_CPU]
  if (from === null || to === null) return null
  const sinceMs = now.atMs - before.atMs
  const ranMs = to - from
  return sinceMs > 0 && sinceMs - ranMs >= share * sinceMs ? before.atMs + ranMs : null
}

/** @param {Sample} sample */
const isInTime = ({ atMs, questionAtMs, waitedMs = 0 }) => atMs - questionAtMs - waitedMs < LATE_MS

/** @param {Frame} frame */
const isAtomicsWait = ({ function: name, file }) => file === null && name === 'wait'

exports.DebuggerPauses = DebuggerPauses
