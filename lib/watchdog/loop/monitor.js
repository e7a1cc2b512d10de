'use strict'

const { orNull } = require('../../bridge/beat')
const { nowMs } = require('../../util/clock')
const { Detector, STARTUP_IDLE_MS } = require('./detector')
const { BlockFacts } = require('./block-facts')

/**
 * @import { Beat } from '../../bridge/beat'
 * @import { Bridge } from '../../bridge/memory'
 * @import { Reading } from './kernel-evidence'
 * @import { Code, Facts } from '../../explain/record'
 * @import { BlockRecord } from '../../types'
 * @import { ThreadStats } from '../kernel/thread-stats'
 * @import { Phases } from '../sinks'
 * @import { Surroundings } from './block-facts'
 * @import { DoubtfulBeat, Ended, LateBeat } from './detector'
 * @import { Explainer } from './explainer'
 * @import { RestWatch } from './rest-watch'
 * @import { Sample, Sampler } from './sampler'
 */

/** An ended block settles after this many beats: entries of the garbage collector come up to two turns late. */
const SETTLE_BEATS = 2
/** After this time an ended block settles without those beats: the next block may follow at once. */
const SETTLE_MS = 500
/** A block settles without source maps and names not read within this; the largest map takes less than 200 ms. */
const SOURCES_MS = 2000
/** The first report waits this long for a place in the code. While a question is this new, polls come every ms. */
const EAGER_MS = 10
const PROGRESS_MS = 1000

/**
 * @typedef {object} PollReading what a poll has seen of a thread
 * @property {Sample | null} sample @property {Reading} reading
 * @property {DoubtfulBeat} beat @property {LateBeat[]} lateBeats
 * @property {number} [pausedFromMs] since when a debugger pauses the thread, if one does
 * @property {boolean} [mayBePaused] the next answer shows whether one does
 * @typedef {object} MonitorParts
 * @property {{ thread: string, threadId: number }} owner its name in records, its number as in node:worker_threads
 * @property {Pick<Bridge, 'beat' | 'lateBeats' | 'counters'>} bridge
 * @property {{ threshold: number, beatPeriod: number, stuck: number }} options ms
 * @property {Pick<RestWatch, 'see' | 'dueAtMs' | 'blocked'>} [rest] of a loop that may rest
 * @property {Sampler} sampler asks the thread where it is
 * @property {(pollReading: PollReading, calm: Reading) => PollReading} [adjust] `calm`: the last reading
 * before a beat was overdue
 * @property {Pick<ThreadStats, 'read' | 'precise'>} stats of the thread
 * @property {Surroundings} surroundings
 * @property {(endMs: number, nowMs: number) => boolean} [isAwaited] whether evidence of a block may still come
 * @property {Code} code @property {Explainer} explainer
 * @property {(facts: Facts) => void} [onFacts] of a block that settles
 * @property {() => string} nextId
 */

/** @param {PollReading} pollReading */
const unchanged = (pollReading) => pollReading

/** For a loop that never rests. @type {NonNullable<MonitorParts['rest']>} */
const beatsAlways = { see: (nowMs, beat) => beat, dueAtMs: Infinity, blocked: () => {} }

/** Monitors one thread's event loop: reads its heartbeat, asks it where it is, reports the phases of its blocks. */
class LoopMonitor {
  #parts
  #detector
  #sampler
  /** The last kernel reading while no beat was overdue. */
  #calm
  /** @type {BlockFacts | null} for what delays the next beat, which may turn out to be no block */
  #facts = null
  /** @type {{ facts: BlockFacts, end: Ended, after: Reading, beats: number }[]} */
  #ended = []
  #isStuckDone = false
  #isAnnounced = true
  #progressAtMs = Infinity
  /** The host's beats at the last poll. */
  #polledBeats = 0
  /** All blocks that ended by this beat have been reported. */
  completeToMs = -Infinity

  /** @param {MonitorParts} parts */
  constructor (parts) {
    this.#parts = parts
    const { options, stats, sampler, owner: { threadId } } = parts
    this.#detector = new Detector({
      thresholdMs: options.threshold,
      beatPeriodMs: options.beatPeriod,
      startupIdleMs: threadId === 0 ? STARTUP_IDLE_MS : 0
    })
    this.#sampler = sampler
    this.#calm = stats.read(nowMs())
    // The first question warms up the way to the thread, and shows whether there is one.
    this.#sampler.askIfDue(nowMs(), 0)
  }

  get beat () {
    return this.#parts.bridge.beat.read()
  }

  /** The length of the block in progress; 0 without one, and as soon as the loop has beaten. */
  get blockedMs () {
    return this.#blockedSince(this.beat)
  }

  /** @param {Beat} beat the last one, which may have come since the last poll */
  #blockedSince ({ beats }) {
    const { block } = this
    return block === null || beats !== this.#polledBeats ? 0 : nowMs() - block.startMs
  }

  get block () {
    return this.#detector.block
  }

  /** The record of the block in progress, as it is now. @returns {BlockRecord | null} */
  get ongoing () {
    return this.#detector.block === null ? null : this.#ongoing(nowMs())
  }

  /** Whether there may be a block that is not reported yet: no other work must delay the watchdog then. */
  get isAboutToReport () {
    return this.#facts !== null && (this.#detector.block === null || !this.#isAnnounced)
  }

  get isSettled () {
    return this.#ended.length === 0
  }

  /** The loop's totals, with the block in progress as active time, and the age of its last beat. */
  get state () {
    const { beat } = this
    const { atMs, activeMs, idleMs } = beat
    // Once the loop has beaten, its active time includes the block, which must not count twice.
    const inProgressMs = this.#blockedSince(beat)
    return { activeMs: activeMs + inProgressMs, idleMs, heartbeatAgeMs: nowMs() - atMs, inProgressMs }
  }

  /** A poll while nothing goes on. Returns when to poll again, null if a whole poll is needed. @param {number} now */
  quickCheck (now) {
    const { bridge, stats, rest = beatsAlways } = this.#parts
    if (this.#facts !== null || this.#ended.length > 0 || this.#sampler.questionAtMs !== null) return null
    const reading = stats.read(now)
    const beat = rest.see(now, bridge.beat.read(), reading)
    if (!bridge.lateBeats.isEmpty) return null
    const wakeAtMs = this.#detector.quickCheck(now, beat)
    if (wakeAtMs === null) return null
    this.#calm = reading
    this.completeToMs = beat.atMs
    return Math.min(wakeAtMs, rest.dueAtMs)
  }

  /** @param {number} now @param {boolean} selfLate this poll itself came late @param {Phases} sinks of block phases */
  poll (now, selfLate, sinks) {
    const { sample, beat, lateBeats, reading: quickReading, pausedFromMs, mayBePaused } = this.#see(now)
    if (pausedFromMs !== undefined) this.#pause(pausedFromMs, quickReading, sinks)
    // The block of this answer ended before it was seen.
    if (lateBeats.some(({ beats }) => beats === sample?.beats)) this.#facts ??= this.#makeFacts(sample?.beats ?? 0)
    if (sample !== null && sample.beats === this.#facts?.beats) this.#addSample(sample, now)

    const idleMs = this.#facts?.beats === beat.beats ? this.#facts.idleMs : null
    const { events, isOverdue, wakeAtMs } = this.#detector.poll({ nowMs: now, beat, lateBeats, idleMs, selfLate })
    // Now, as the block in which the first work begins may still have loaded modules.
    const { counters } = this.#parts.bridge
    this.#detector.hasWorked ||= counters.get('workInFlight') > 0 || counters.get('inFlight') > 0
    const reading = isOverdue || events.length > 0 ? this.#parts.stats.precise(quickReading) : quickReading
    for (const event of events) {
      if (event.type === 'ended') this.#end(event, reading, beat.beats, sinks)
    }
    this.#followBeat(isOverdue, beat, reading)
    for (const event of events) {
      if (event.type === 'opened') {
        this.#facts?.begin(this.#parts.nextId(), event.block, now)
        this.#isStuckDone = false
        this.#isAnnounced = false
      }
    }
    if (!mayBePaused) this.#reportOngoing(now, sinks)
    this.#settle(now, beat.beats, sinks)
    this.completeToMs = beat.atMs
    const eventful = isOverdue || events.length > 0 || this.#ended.length > 0
    const { options, rest = beatsAlways } = this.#parts
    const { questionAtMs } = this.#sampler
    const eagerAtMs = questionAtMs !== null && now - questionAtMs < EAGER_MS ? now + 1 : Infinity
    const settleAtMs = this.#ended.length > 0 ? now + options.beatPeriod : Infinity
    return { wakeAtMs: Math.min(wakeAtMs, eagerAtMs, settleAtMs, rest.dueAtMs), eventful }
  }

  /** @param {number} now */
  #see (now) {
    const { bridge, stats, rest = beatsAlways, adjust = unchanged } = this.#parts
    const reading = stats.read(now)
    const sample = this.#sampler.take(reading)
    // The order matters: the host writes a late beat before its beat, so one that is missing now comes with the next.
    const lastBeat = bridge.beat.read()
    this.#polledBeats = lastBeat.beats
    const beat = rest.see(now, lastBeat, reading)
    const lateBeats = bridge.lateBeats.drain().map(([startMs, endMs, idleMs, periodMs, beats, cpuMs]) =>
      ({ startMs, endMs, idleMs, periodMs, beats, cpuMs: orNull(cpuMs) }))
    return adjust({ sample, beat, lateBeats, reading }, this.#calm)
  }

  /** @param {Sample} sample @param {number} now */
  #addSample (sample, now) {
    const facts = /** @type {BlockFacts} */ (this.#facts)
    const { table } = this.#parts.code
    facts.add({
      ...sample,
      isJustEntered: sample.late && table.isJustEntered(sample.frames),
      frames: sample.frames.map((frame) => table.get(frame)),
      awaiting: sample.awaiting?.map((frame) => table.get(frame))
    })
    // The thread was between two callbacks: ask again at once.
    if (this.#awaitsPlace(facts, now)) this.#sampler.hurry()
  }

  /** Whether the first report should still wait for a place. @param {BlockFacts} facts @param {number} now */
  #awaitsPlace (facts, now) {
    return !facts.isPlaced && now < facts.overdueAtMs + EAGER_MS
  }

  /** @param {boolean} isOverdue @param {Beat} beat @param {Reading} reading */
  #followBeat (isOverdue, beat, reading) {
    if (this.#facts !== null && this.#facts.beats !== beat.beats) {
      this.#facts = null
      this.#sampler.forget()
    }
    if (!isOverdue) {
      this.#calm = reading
      return
    }
    if (this.#facts === null) {
      this.#facts = this.#makeFacts(beat.beats, beat.heldMicros)
      this.#facts.ownCpu.add(beat)
      this.#sampler.hurry()
    }
    this.#facts.addReading(reading)
    this.#parts.surroundings.waits?.lookIfDue(reading.atMs, reading.atMs - beat.atMs)
    this.#sampler.askIfDue(reading.atMs, reading.atMs - beat.atMs, reading.runQueueMs)
  }

  /** @param {number} beats the number of the last beat before the block @param {number} [heldMicros] of that beat */
  #makeFacts (beats, heldMicros) {
    const { owner, surroundings, options } = this.#parts
    return new BlockFacts({
      owner,
      beats,
      before: this.#calm,
      heldMicros,
      surroundings,
      thresholdMs: options.threshold
    })
  }

  /** @param {number} now @param {Phases} sinks */
  #reportOngoing (now, sinks) {
    const { block } = this.#detector
    if (block === null) return
    if (!this.#isAnnounced && !this.#awaitsPlace(/** @type {BlockFacts} */ (this.#facts), now)) {
      sinks.opened(this.#ongoing(now))
      this.#isAnnounced = true
      this.#progressAtMs = now + PROGRESS_MS
    }
    if (now >= this.#progressAtMs) {
      this.#progressAtMs = now + PROGRESS_MS
      sinks.lasting(this.#ongoing(now))
    }
    const { options: { stuck }, surroundings } = this.#parts
    if (stuck === 0 || this.#isStuckDone) return
    // A process that was stopped as a whole was not stuck in that time.
    const { startMs } = block
    if (now - startMs - surroundings.lateness.within(startMs, now) < stuck) return
    this.#isStuckDone = true
    sinks.stuck(this.#ongoing(now))
  }

  /** @param {number} now */
  #ongoing (now) {
    const facts = /** @type {BlockFacts} */ (this.#facts)
    return this.#explain(facts.ongoing(now, this.#sampler.questionAtMs)).record
  }

  /** @param {Ended} end @param {Reading} after @param {number} beats @param {Phases} sinks */
  #end (end, after, beats, sinks) {
    const facts = this.#facts?.beats === end.block.beats ? this.#facts : this.#makeFacts(end.block.beats)
    if (facts.block === null) facts.begin(this.#parts.nextId(), end.block, after.atMs)
    this.#isAnnounced = true
    this.#progressAtMs = Infinity
    this.#parts.rest?.blocked()
    const { record, workIds } = this.#explain(facts.ended(end, after))
    sinks.ended(record, { startMs: end.endMs - end.durationMs, endMs: end.endMs, workIds })
    this.#ended.push({ facts, end, after, beats })
  }

  /**
   * A debugger has paused the thread: a block in progress ends there.
   * @param {number} fromMs @param {Reading} reading @param {Phases} sinks
   */
  #pause (fromMs, reading, sinks) {
    const end = this.#detector.cut(fromMs)
    if (end !== null && this.#isAnnounced) this.#end(end, this.#parts.stats.precise(reading), end.block.beats, sinks)
    this.#isAnnounced = true
    this.#facts = null
    this.#sampler.forget()
  }

  /** Settles blocks whose evidence is complete. @param {number} now @param {number} beats @param {Phases} sinks */
  #settle (now, beats, sinks) {
    while (this.#ended.length > 0) {
      const [{ facts, end, after, beats: since }] = this.#ended
      if (beats - since < SETTLE_BEATS && now - after.atMs < SETTLE_MS) return
      if (this.#parts.isAwaited?.(end.endMs, now)) return
      if (this.#parts.code.table.isAwaiting && now - after.atMs < SOURCES_MS) return
      this.#ended.shift()
      const settled = facts.ended(end, after)
      this.#parts.onFacts?.(settled)
      sinks.settled(this.#explain(settled).record, end.endMs)
    }
  }

  /** @param {Facts} facts */
  #explain (facts) {
    const { explainer, code } = this.#parts
    return explainer.explain(facts, code)
  }

  /** Stops; a block in progress is reported as far as it has come. @param {number} now @param {Phases} sinks */
  stop (now, sinks) {
    const { stats } = this.#parts
    const end = this.#detector.cut(now)
    if (end !== null) this.#end(end, stats.precise(stats.read(now)), 0, sinks)
    this.#settle(Infinity, 0, sinks)
  }
}

exports.LoopMonitor = LoopMonitor
