'use strict'

const { minBlockGapMs, RESTS_SAMPLED } = require('../../bridge/beat')

/** @import { Beat } from '../../bridge/beat' */

/**
 * @typedef {object} LateBeat two beats of the host further apart than the threshold, as the host saw it
 * @property {number} startMs of the first @property {number} endMs of the second @property {number} beats of the first
 * @property {number} idleMs the loop waited between them @property {number} periodMs after which the second was due
 * @property {number} [doubtMs] the true start may be this much earlier
 * @property {number | null} [cpuMs] of the thread between them; null if the kernel reports it, or if it is unknown
 * @typedef {object} Doubt
 * @property {number} [doubtMs] the beat may have come this much earlier
 * @property {number} [latestMs] what delays the next beat began by then; else by when that is due
 * @typedef {Beat & Doubt} DoubtfulBeat
 * @typedef {object} Poll what the watchdog sees when it wakes
 * @property {number} nowMs @property {LateBeat[]} lateBeats since the last poll @property {DoubtfulBeat} beat the last
 * @property {number | null} idleMs the host's idle time, as answered since its last beat
 * @property {boolean} selfLate this poll itself came later than it was due
 * @typedef {object} Block
 * @property {number} startMs @property {number} uncertaintyMs of startMs @property {number} beats of the beat before it
 * @property {boolean} startup the loop had not turned yet, or had hardly waited for anything, and no work had begun
 * @typedef {{ type: 'opened', block: Block }} Opened
 * @typedef {object} Ended
 * @property {'ended'} type @property {Block} block
 * @property {number} endMs @property {number} durationMs @property {number} uncertaintyMs
 * @property {number} busyMs @property {number | null} [cpuMs]
 */

/** Timers of Node.js fire on whole milliseconds, up to 1 ms late. */
const TIMER_SLACK_MS = 1
/** Time between polls while no next beat is due: the one that comes may be followed by a block at once. */
const UNDUE_LOOK_MS = 20
/** The longest startup of a loop, in active time. */
const STARTUP_MS = 10000
/**
 * A main thread that has waited for less than this is starting up: a server has waited longer by its first request.
 * Worker threads may wait for work in ways that do not show.
 */
const STARTUP_IDLE_MS = 20
/** After this many late polls in a row, the watchdog's own lateness no longer excuses the host. */
const EXCUSED_POLLS = 3

/**
 * Decides from heartbeats whether the event loop is blocked: a state machine over the clock. A block begins between the
 * last beat and the time at which the next one is due; the loop's idle time shows where. It opens as soon as it has
 * certainly reached the threshold while that beat is overdue. The host reports exactly how it ended.
 */
class Detector {
  #thresholdMs
  #beatPeriodMs
  #startupIdleMs
  /** @type {Block | null} */
  #block = null
  #excused = 0
  /** The number of the beat that the last late beat followed. @type {number | null} */
  #overBeats = null
  /** The thread has worked on something, so its startup has ended. */
  hasWorked = false

  /**
   * @param {object} options @param {number} options.thresholdMs @param {number} options.beatPeriodMs
   * @param {number} [options.startupIdleMs] starting up while it has waited for less: ES modules load in several turns
   */
  constructor ({ thresholdMs, beatPeriodMs, startupIdleMs = 0 }) {
    this.#thresholdMs = thresholdMs
    this.#beatPeriodMs = beatPeriodMs
    this.#startupIdleMs = startupIdleMs
  }

  get block () {
    return this.#block
  }

  /** `isOverdue`: no beat for a threshold, worth a sample even before it is certainly a block. @param {Poll} poll */
  poll (poll) {
    const { nowMs, beat, lateBeats } = poll
    /** @type {(Opened | Ended)[]} */
    const events = lateBeats.flatMap((late) => this.#end(late, beat))
    if (this.#block !== null && this.#block.beats !== beat.beats) {
      // The host beats again, but its late beat is missing: the ring was full. The end is at most one beat off.
      const { startMs, beats } = this.#block
      const { atMs: endMs, periodMs, doubtMs } = beat
      events.push(...this.#end({ startMs, endMs, idleMs: 0, periodMs, beats, doubtMs }, beat))
    }
    // If a late beat followed this one, the host lives: it is about to write its new beat, or lost its CPU before that.
    this.#overBeats = lateBeats.at(-1)?.beats ?? this.#overBeats
    const isOverdue = beat.beats !== this.#overBeats && nowMs >= this.#overdueAtMs(beat)
    // If the watchdog was late itself, the host may have been stopped too, and gets time to beat.
    if (isOverdue && this.#block === null) this.#excused = poll.selfLate ? this.#excused + 1 : 0
    const isExcused = poll.selfLate && this.#excused <= EXCUSED_POLLS
    if (isOverdue && this.#block === null && !isExcused) {
      const block = this.#blockOf(poll)
      if (block !== null) events.push({ type: 'opened', block })
      this.#block = block
    }
    return { events, isOverdue, wakeAtMs: this.#nextPoll(poll, isOverdue) }
  }

  /** Ends the block in progress. @param {number} atMs at the latest @returns {Ended | null} */
  cut (atMs) {
    const block = this.#block
    if (block === null) return null
    this.#block = null
    const endMs = Math.max(block.startMs, atMs)
    const durationMs = endMs - block.startMs
    const { uncertaintyMs } = block
    return { type: 'ended', block, endMs, durationMs, uncertaintyMs, busyMs: durationMs }
  }

  /** With no block open and no late beat; null if overdue. @param {number} nowMs @param {DoubtfulBeat} beat */
  quickCheck (nowMs, beat) {
    const overdueAtMs = this.#overdueAtMs(beat)
    if (nowMs >= overdueAtMs) return null
    this.#excused = 0
    return this.#lookAtMs(nowMs, overdueAtMs)
  }

  /** The next poll comes just after a beat due at its moment. @param {number} nowMs @param {number} overdueAtMs */
  #lookAtMs (nowMs, overdueAtMs) {
    return overdueAtMs === Infinity ? nowMs + UNDUE_LOOK_MS : Math.max(nowMs, overdueAtMs) + TIMER_SLACK_MS
  }

  /** When the beat after this one is overdue. @param {DoubtfulBeat} beat */
  #overdueAtMs (beat) {
    return beat.atMs + minBlockGapMs(this.#thresholdMs, beat.periodMs)
  }

  /** The block, if it has certainly reached the threshold. @param {Poll} poll @returns {Block | null} */
  #blockOf (poll) {
    const { nowMs, beat } = poll
    const startMs = this.#certainStart(poll)
    if (nowMs - startMs < this.#thresholdMs) return null
    const isExact = beat.beats === 1 || reliableIdleMs(poll) !== null
    const windowMs = isExact ? 0 : latestMs(beat) - beat.atMs
    const uncertaintyMs = Math.max(TIMER_SLACK_MS, windowMs) + (beat.doubtMs ?? 0)
    return { startMs, beats: beat.beats, startup: this.#isStartup(beat.beats, beat), uncertaintyMs }
  }

  /**
   * The latest time at which the block can have begun. Before its first turn the loop waits for nothing; later it may
   * idle until the next beat. @param {Poll} poll
   */
  #certainStart (poll) {
    const { beat } = poll
    if (beat.beats === 1) return beat.atMs
    const waitedMs = (reliableIdleMs(poll) ?? Infinity) - beat.idleMs
    return Math.min(beat.atMs + Math.max(0, waitedMs), latestMs(beat))
  }

  /** @param {Poll} poll @param {boolean} isOverdue */
  #nextPoll (poll, isOverdue) {
    const { nowMs, beat } = poll
    if (!isOverdue) return this.#lookAtMs(nowMs, this.#overdueAtMs(beat))
    if (this.#block !== null) return nowMs + this.#beatPeriodMs
    const certainAtMs = this.#certainStart(poll) + this.#thresholdMs
    return Math.max(nowMs + TIMER_SLACK_MS, Math.min(nowMs + this.#beatPeriodMs, certainAtMs))
  }

  /** @param {number} beats the number of the last beat before a block @param {DoubtfulBeat} last */
  #isStartup (beats, last) {
    return !this.hasWorked && isStartup(beats, last, this.#startupIdleMs)
  }

  /** @param {LateBeat} late @param {DoubtfulBeat} beat the host's last @returns {Ended[]} */
  #end (late, beat) {
    const { startMs, endMs, idleMs, periodMs, beats, doubtMs = 0, cpuMs } = late
    const open = this.#block !== null && this.#block.beats === beats ? this.#block : null
    const startup = open === null && this.#isStartup(beats, beat)
    const block = open ?? { startMs: startMs + idleMs, beats, startup, uncertaintyMs: TIMER_SLACK_MS }
    if (open !== null) this.#block = null
    const apartMs = endMs - startMs
    const busyMs = apartMs - idleMs
    // The beat that was due was missing for at least overdueMs. At most, all of the busy time is one block.
    const slackMs = beats === 1 ? TIMER_SLACK_MS : periodMs + TIMER_SLACK_MS
    const overdueMs = Math.max(0, apartMs - slackMs)
    // If a thread wakes late, libuv counts idle time, but the loop did not turn for as long as the block was seen.
    const openMs = open === null ? 0 : endMs - open.startMs
    const durationMs = Math.max(busyMs, overdueMs, openMs)
    if (durationMs < this.#thresholdMs && open === null) return []
    const differenceMs = Math.min(Math.abs(busyMs - overdueMs), slackMs)
    const uncertaintyMs = Math.max(TIMER_SLACK_MS, differenceMs) + doubtMs
    return [{ type: 'ended', block, endMs, durationMs, uncertaintyMs, busyMs, cpuMs }]
  }
}

/**
 * @param {number} beats the number of the last beat before a block @param {DoubtfulBeat} last
 * @param {number} [mostIdleMs]
 */
function isStartup (beats, { idleMs, activeMs }, mostIdleMs = STARTUP_IDLE_MS) {
  return beats === 1 || (idleMs < mostIdleMs && activeMs < STARTUP_MS)
}

/** The latest start of the delay of the next beat: when that was due. @param {DoubtfulBeat} beat */
function latestMs ({ atMs, periodMs, latestMs = atMs + periodMs + TIMER_SLACK_MS }) {
  return latestMs
}

/** The thread's idle time by its own answer, null if that cannot be relied on. @param {Poll} poll */
function reliableIdleMs ({ beat, idleMs }) {
  return beat.rest === RESTS_SAMPLED ? null : idleMs
}

exports.STARTUP_IDLE_MS = STARTUP_IDLE_MS
exports.isStartup = isStartup
exports.latestMs = latestMs
exports.Detector = Detector
