'use strict'

const { minBlockGapMs } = require('../../bridge/beat')

/**
 * @typedef {object} LateBeat two beats of the host further apart than the threshold, as the host saw it
 * @property {number} startMs of the first
 * @property {number} endMs of the second
 * @property {number} idleMs the loop waited for events between them
 * @property {number} periodMs after which the second was due
 * @property {number} beats the number of the first
 * @property {number} [doubtMs] the true start may be this much earlier
 * @property {number | null} [cpuMs] of the thread between them; null where the kernel tells it, or nobody does
 *
 * @typedef {object} Doubt
 * @property {number} [doubtMs] it may have come this much earlier
 * @property {number} [latestMs] what keeps the next one from coming began by then: see rest-watch.js
 *
 * @typedef {import('../../bridge/beat').Beat & Doubt} DoubtfulBeat
 *
 * @typedef {object} Poll what the watchdog sees when it wakes
 * @property {number} nowMs
 * @property {DoubtfulBeat} beat the host's last
 * @property {LateBeat[]} lateBeats since the last poll
 * @property {number | null} idleMs the host's idle time, as answered since its last beat
 * @property {boolean} selfLate this poll itself came later than it was due
 *
 * @typedef {object} Block
 * @property {number} startMs
 * @property {number} beats the number of the beat it began after
 * @property {boolean} startup the loop had not turned yet, or hardly waited for anything
 * @property {number} uncertaintyMs of startMs
 *
 * @typedef {{ type: 'opened', block: Block }} Opened
 *
 * @typedef {object} Ended
 * @property {'ended'} type
 * @property {Block} block
 * @property {number} endMs
 * @property {number} durationMs
 * @property {number} uncertaintyMs
 * @property {number} busyMs
 * @property {boolean} seen it was opened before
 * @property {number | null} [cpuMs]
 */

/** Node's timers fire on whole milliseconds, up to one late. */
const TIMER_SLACK_MS = 1
/** A beat that is never due is looked for this often: the one after it may be due at once. */
const UNDUE_LOOK_MS = 20
/** Nothing that a loop does after this long is its start-up. */
const STARTUP_MS = 10000
/** After so many late polls in a row the watchdog's own lateness no longer excuses the host. */
const EXCUSED_POLLS = 3

/**
 * Decides from heartbeats when the event loop is blocked: a state machine over the clock.
 *
 * A block begins somewhere between the last beat and the next due one; the loop's own idle time says where. While
 * the next beat is overdue, the block is opened as soon as it is certain to have reached the threshold. How it ended
 * is told exactly by the host.
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

  /**
   * @param {object} options
   * @param {number} options.thresholdMs
   * @param {number} options.beatPeriodMs
   * @param {number} [options.startupIdleMs] a loop that has waited for less than this in all is starting up: ES modules
   * load in several turns
   */
  constructor ({ thresholdMs, beatPeriodMs, startupIdleMs = 0 }) {
    this.#thresholdMs = thresholdMs
    this.#beatPeriodMs = beatPeriodMs
    this.#startupIdleMs = startupIdleMs
  }

  /** The block in progress. */
  get block () {
    return this.#block
  }

  /**
   * @param {Poll} poll
   * @returns {{ events: (Opened | Ended)[], isOverdue: boolean, wakeAtMs: number }}
   * `isOverdue`: no beat for a threshold, worth a sample even before it is certainly a block
   */
  poll (poll) {
    const { nowMs, beat, lateBeats } = poll
    /** @type {(Opened | Ended)[]} */
    const events = lateBeats.flatMap((late) => this.#end(late, beat))
    if (this.#block !== null && this.#block.beats !== beat.beats) {
      // The host beats again, yet sent no late beat: the ring was full. The end is at most one beat off.
      const { startMs, beats } = this.#block
      const { atMs: endMs, periodMs, doubtMs } = beat
      events.push(...this.#end({ startMs, endMs, idleMs: 0, periodMs, beats, doubtMs }, beat))
    }
    // A late beat has followed this very one: the host is about to write its new beat, or is put aside before it does.
    this.#overBeats = lateBeats.at(-1)?.beats ?? this.#overBeats
    const isOverdue = beat.beats !== this.#overBeats && nowMs >= this.#overdueAtMs(beat)
    if (isOverdue && this.#block === null && !this.#excuse(poll)) {
      const block = this.#blockOf(poll)
      if (block !== null) events.push({ type: 'opened', block })
      this.#block = block
    }
    return { events, isOverdue, wakeAtMs: this.#nextPoll(poll, isOverdue) }
  }

  /**
   * A poll that sees nothing but the beat, while no block is open and no late beat has come.
   * @param {number} nowMs
   * @param {DoubtfulBeat} beat
   * @returns {number | null} when to poll again, null where the next beat is overdue
   */
  quickCheck (nowMs, beat) {
    const overdueAtMs = this.#overdueAtMs(beat)
    if (nowMs >= overdueAtMs) return null
    this.#excused = 0
    return this.#lookAtMs(nowMs, overdueAtMs)
  }

  /**
   * When to look again while no beat is overdue: just after one that is due at the same moment, rather than just before
   * it.
   * @param {number} nowMs
   * @param {number} overdueAtMs
   */
  #lookAtMs (nowMs, overdueAtMs) {
    return overdueAtMs === Infinity ? nowMs + UNDUE_LOOK_MS : Math.max(nowMs, overdueAtMs) + TIMER_SLACK_MS
  }

  /** When the beat after this one is overdue. @param {DoubtfulBeat} beat */
  #overdueAtMs (beat) {
    return beat.atMs + minBlockGapMs(this.#thresholdMs, beat.periodMs)
  }

  /** The block that is certain to have reached the threshold. @param {Poll} poll @returns {Block | null} */
  #blockOf (poll) {
    const { nowMs, beat, idleMs } = poll
    const startMs = this.#certainStart(poll)
    if (nowMs - startMs < this.#thresholdMs) return null
    const isExact = beat.beats === 1 || idleMs !== null
    const windowMs = beat.latestMs === undefined ? beat.periodMs : beat.latestMs - beat.atMs
    const uncertaintyMs = (isExact ? 0 : windowMs) + TIMER_SLACK_MS + (beat.doubtMs ?? 0)
    return { startMs, beats: beat.beats, startup: this.#isStartup(beat.beats, beat), uncertaintyMs }
  }

  /**
   * The latest time at which the block can have begun that keeps the beat from coming. Before the loop's first turn
   * there is no timer to wait for; from then on the loop may idle until the next beat.
   * @param {Poll} poll
   */
  #certainStart ({ beat, idleMs }) {
    if (beat.beats === 1) return beat.atMs
    const { latestMs = beat.atMs + beat.periodMs + TIMER_SLACK_MS } = beat
    if (idleMs === null) return latestMs
    const startMs = beat.atMs + Math.max(0, idleMs - beat.idleMs)
    return beat.latestMs === undefined ? startMs : Math.min(startMs, latestMs)
  }

  /**
   * A watchdog that was late itself first gives the host, which may have been stopped with it, the time to beat.
   * @param {Poll} poll
   */
  #excuse ({ selfLate }) {
    this.#excused = selfLate ? this.#excused + 1 : 0
    return selfLate && this.#excused <= EXCUSED_POLLS
  }

  /** @param {Poll} poll @param {boolean} isOverdue */
  #nextPoll (poll, isOverdue) {
    const { nowMs, beat } = poll
    if (!isOverdue) return this.#lookAtMs(nowMs, this.#overdueAtMs(beat))
    if (this.#block !== null) return nowMs + this.#beatPeriodMs
    const certainAtMs = this.#certainStart(poll) + this.#thresholdMs
    return Math.max(nowMs + TIMER_SLACK_MS, Math.min(nowMs + this.#beatPeriodMs, certainAtMs))
  }

  /** @param {number} beats the number of the beat that a block began after @param {DoubtfulBeat} last */
  #isStartup (beats, last) {
    return beats === 1 || (last.idleMs < this.#startupIdleMs && last.activeMs < STARTUP_MS)
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
    // At least this long the beat that was due did not come; at most all of the busy time is one block.
    const slackMs = beats === 1 ? TIMER_SLACK_MS : periodMs + TIMER_SLACK_MS
    const overdueMs = Math.max(0, apartMs - slackMs)
    // A thread that was woken late idles for the loop, but its loop did not turn for as long as the block was seen.
    const seenMs = open === null ? 0 : endMs - open.startMs
    const durationMs = Math.max(busyMs, overdueMs, seenMs)
    if (durationMs < this.#thresholdMs && open === null) return []
    const differenceMs = Math.min(Math.abs(busyMs - overdueMs), slackMs)
    const uncertaintyMs = Math.max(TIMER_SLACK_MS, differenceMs) + doubtMs
    return [{ type: 'ended', block, endMs, durationMs, uncertaintyMs, busyMs, seen: open !== null, cpuMs }]
  }
}

exports.Detector = Detector
