'use strict'

const { minBlockGapMs } = require('../../bridge/beat')

/**
 * @typedef {object} Gap two beats of the host further apart than the threshold, as the host saw it
 * @property {number} startMs
 * @property {number} endMs
 * @property {number} idleMs waited for events within it
 * @property {number} periodMs after which the second was due
 * @property {number} beats the beat it began with
 * @property {number} [doubtMs] the true start may be this much earlier
 * @property {number | null} [cpuMs] of the thread within it; null where the kernel tells it, or nobody does
 *
 * @typedef {import('../../bridge/beat').Beat & { doubtMs?: number }} DoubtfulBeat that may have come this much earlier
 *
 * @typedef {object} Look what the watchdog sees when it wakes
 * @property {number} nowMs
 * @property {DoubtfulBeat} beat the host's last
 * @property {Gap[]} gaps that ended since the last look
 * @property {number | null} idleMs the host's idle time as answered from within the present silence
 * @property {boolean} selfLate this look itself came later than it was due
 *
 * @typedef {object} Block
 * @property {number} startMs
 * @property {number} beats the beat it began with
 * @property {boolean} startup the loop had not turned yet, or hardly waited for anything
 * @property {number} uncertaintyMs of startMs
 *
 * @typedef {{ type: 'open', block: Block }} Opened
 * @typedef {{ type: 'close', block: Block, endMs: number, durationMs: number, uncertaintyMs: number, busyMs: number, seen: boolean, cpuMs?: number | null }} Closed
 */

/** Node's timers fire on whole milliseconds, up to one late. */
const TIMER_SLACK_MS = 1
/** Nothing that a loop does after this long is its start-up. */
const STARTUP_MS = 10000
/** So often the watchdog may be late itself in a row before its lateness no longer excuses the host. */
const EXCUSED_LOOKS = 3

/**
 * Decides from heartbeats when the event loop is blocked: a state machine over the clock.
 *
 * A block begins somewhere between the last beat and the next due one; the loop's own idle time
 * says where. While there is silence the block is opened as soon as it is certain to have reached
 * the threshold; how it ended is told exactly by the host.
 */
class Detector {
  #thresholdMs
  #resolutionMs
  #startupIdleMs
  /** @type {Block | null} */
  #open = null
  #excused = 0

  /**
   * @param {object} options
   * @param {number} options.thresholdMs
   * @param {number} options.resolutionMs
   * @param {number} [options.startupIdleMs] a loop that has waited for less than this in all is starting up: ES modules load in several turns
   */
  constructor ({ thresholdMs, resolutionMs, startupIdleMs = 0 }) {
    this.#thresholdMs = thresholdMs
    this.#resolutionMs = resolutionMs
    this.#startupIdleMs = startupIdleMs
  }

  /** The block in progress. */
  get open () {
    return this.#open
  }

  /**
   * @param {Look} look
   * @returns {{ events: (Opened | Closed)[], suspicious: boolean, wakeAtMs: number }}
   * `suspicious`: silent for a threshold, worth a sample even before it is certainly a block
   */
  look (look) {
    /** @type {(Opened | Closed)[]} */
    const events = look.gaps.flatMap((gap) => this.#close(gap, look.beat))
    const { nowMs, beat } = look
    if (this.#open !== null && this.#open.beats !== beat.beats) {
      // The host beats again, yet sent no gap: the ring was full. The end is at most one beat off.
      events.push(...this.#close({ startMs: this.#open.startMs, endMs: beat.atMs, idleMs: 0, periodMs: beat.periodMs, beats: this.#open.beats, doubtMs: beat.doubtMs }, beat))
    }
    // A gap that began with this very beat: the host beats again, and its new beat was written after
    // this one was read.
    const isStale = look.gaps.some((gap) => gap.beats === beat.beats)
    const suspicious = !isStale && nowMs >= this.#dueMs(beat)
    if (suspicious && this.#open === null && !this.#excuse(look)) {
      const startMs = this.#certainStart(look)
      if (nowMs - startMs >= this.#thresholdMs) {
        const exact = beat.beats === 1 || look.idleMs !== null
        this.#open = { startMs, beats: beat.beats, startup: this.#isStartup(beat.beats, beat), uncertaintyMs: (exact ? 0 : beat.periodMs) + TIMER_SLACK_MS + (beat.doubtMs ?? 0) }
        events.push({ type: 'open', block: this.#open })
      }
    }
    return { events, suspicious, wakeAtMs: this.#nextLook(look, suspicious) }
  }

  /**
   * A look that sees nothing but the beat, while no block is open and no gap has come.
   * @param {number} nowMs
   * @param {DoubtfulBeat} beat
   * @returns {number | null} when to look again, null where this silence is suspicious
   */
  glance (nowMs, beat) {
    if (nowMs >= this.#dueMs(beat)) return null
    this.#excused = 0
    return this.#dueMs(beat) + TIMER_SLACK_MS
  }

  /** When a silence that began with this beat becomes suspicious. @param {DoubtfulBeat} beat */
  #dueMs (beat) {
    return beat.atMs + minBlockGapMs(this.#thresholdMs, beat.periodMs)
  }

  /**
   * The latest time at which the present silence can have turned into a block. Before the loop's
   * first turn there is no timer to wait for; from then on the loop may idle until the next beat.
   * @param {Look} look
   */
  #certainStart ({ beat, idleMs }) {
    if (beat.beats === 1) return beat.atMs
    if (idleMs !== null) return beat.atMs + Math.max(0, idleMs - beat.idleMs)
    return beat.atMs + beat.periodMs + TIMER_SLACK_MS
  }

  /**
   * A watchdog that was late itself first gives the host, which may have been stopped with it, the
   * time to beat.
   * @param {Look} look
   */
  #excuse ({ selfLate }) {
    this.#excused = selfLate ? this.#excused + 1 : 0
    return selfLate && this.#excused <= EXCUSED_LOOKS
  }

  /** @param {Look} look @param {boolean} suspicious */
  #nextLook (look, suspicious) {
    const { nowMs, beat } = look
    // Just after a beat that is due at the same moment, rather than just before it.
    if (!suspicious) return Math.max(nowMs, this.#dueMs(beat)) + TIMER_SLACK_MS
    if (this.#open !== null) return nowMs + this.#resolutionMs
    return Math.max(nowMs + TIMER_SLACK_MS, Math.min(nowMs + this.#resolutionMs, this.#certainStart(look) + this.#thresholdMs))
  }

  /** @param {number} beats with which it began @param {DoubtfulBeat} last */
  #isStartup (beats, last) {
    return beats === 1 || (last.idleMs < this.#startupIdleMs && last.activeMs < STARTUP_MS)
  }

  /** @param {Gap} gap @param {DoubtfulBeat} beat the host's last @returns {Closed[]} */
  #close (gap, beat) {
    const seen = this.#open !== null && this.#open.beats === gap.beats
    const block = seen && this.#open
      ? this.#open
      : { startMs: gap.startMs + gap.idleMs, beats: gap.beats, startup: this.#isStartup(gap.beats, beat), uncertaintyMs: TIMER_SLACK_MS }
    if (seen) this.#open = null
    const gapMs = gap.endMs - gap.startMs
    const busyMs = gapMs - gap.idleMs
    // At least this long the beat that was due did not come; at most all of the busy time is one block.
    const slackMs = block.beats === 1 ? TIMER_SLACK_MS : gap.periodMs + TIMER_SLACK_MS
    const overdueMs = Math.max(0, gapMs - slackMs)
    const durationMs = Math.max(busyMs, overdueMs)
    if (durationMs < this.#thresholdMs && !seen) return []
    const uncertaintyMs = Math.max(TIMER_SLACK_MS, Math.min(Math.abs(busyMs - overdueMs), slackMs)) + (gap.doubtMs ?? 0)
    return [{ type: 'close', block, endMs: gap.endMs, durationMs, uncertaintyMs, busyMs, seen, cpuMs: gap.cpuMs }]
  }
}

exports.Detector = Detector
