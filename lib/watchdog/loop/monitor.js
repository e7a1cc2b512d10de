'use strict'

const { orNull } = require('../../bridge/beat')
const { nowMs } = require('../../util/clock')
const { Detector } = require('./detector')
const { BlockBuilder } = require('./block-builder')
const { Sampler } = require('./sampler')

/** A verdict waits for this many beats after the block, since GC entries come up to two turns late, */
const HOLD_BEATS = 2
/** but not longer than this after it was seen to end, where the next block follows at once. */
const HOLD_MS = 500
/** So long a first report waits for a place in the code, and a fresh question is looked after every millisecond. */
const EAGER_MS = 10
/** A process that serves has waited for longer than this by its first request. Worker threads may wait for work where it does not show. */
const STARTUP_IDLE_MS = 20
/** A block in progress is reported again in this time. */
const PROGRESS_MS = 1000

/**
 * @typedef {import('../../store/record').BlockRecord} BlockRecord
 * @typedef {import('../kernel/thread-stats').Reading} Reading
 *
 * @typedef {object} Reports what a watched thread's blocks are told to, in this order
 * @property {(record: BlockRecord) => void} opened it is certain
 * @property {(record: BlockRecord) => void} lasting a second later, and each second
 * @property {(record: BlockRecord) => void} stuck it has lasted for the option `stuck`
 * @property {(record: BlockRecord, interval: import('../requests/recent-blocks').Interval) => void} ended the verdict is still provisional
 * @property {(record: BlockRecord, endMs: number) => void} settled
 *
 * @typedef {object} Parts
 * @property {string} thread its name in records
 * @property {number} threadId as in node:worker_threads
 * @property {Pick<import('../../bridge/memory').Bridge, 'beat' | 'lateBeats' | 'answer'>} bridge
 * @property {{ threshold: number, resolution: number, sample: number, stuck: number }} options ms
 * @property {(isAgain: boolean) => boolean} ask puts the probe's question to the thread, false where it cannot
 * @property {() => boolean} [isHeldUp] something else than the thread keeps the question from it
 * @property {(seen: import('../workers/atomics-wait-idle').Seen) => import('../workers/atomics-wait-idle').Seen} [adjust] corrects what a look has seen
 * @property {Pick<import('../kernel/thread-stats').ThreadStats, 'read' | 'precise'>} stats what the kernel tells of the thread
 * @property {Omit<import('./block-builder').Surroundings, 'thresholdMs' | 'frames'>} surroundings
 * @property {(endMs: number, nowMs: number) => boolean} [isAwaited] whether more is about to be known of what ended then
 * @property {import('../../explain/frame-table').FrameTable} frames
 * @property {() => string} nextId
 * @property {Reports} reports
 */

/** @param {import('../workers/atomics-wait-idle').Seen} seen */
const unchanged = (seen) => seen

/** Watches one thread's event loop: looks at its heartbeat, asks it where it is, reports its blocks. */
class LoopMonitor {
  #parts
  #detector
  #sampler
  #calm
  /** @type {BlockBuilder | null} the present silence */
  #incident = null
  /** @type {{ incident: BlockBuilder, end: import('./detector').Closed, after: Reading, beats: number }[]} */
  #held = []
  #isStuckDone = false
  #isDebugged = false
  #isAnnounced = true
  #progressAtMs = Infinity
  /** The beat up to which every block that has ended is known. */
  knownToMs = -Infinity

  /** @param {Parts} parts */
  constructor (parts) {
    this.#parts = parts
    const { options, bridge, ask, stats } = parts
    this.#detector = new Detector({ thresholdMs: options.threshold, resolutionMs: options.resolution, startupIdleMs: parts.threadId === 0 ? STARTUP_IDLE_MS : 0 })
    this.#sampler = new Sampler({ mailbox: bridge.answer, ask, sampleMs: options.sample })
    this.#calm = stats.read(nowMs())
    // The first question warms the way to the thread up, and tells whether there is one.
    this.#sampler.askIfDue(nowMs(), 0)
  }

  /** The last beat. */
  get beat () {
    return this.#parts.bridge.beat.read()
  }

  /** How long the loop has been blocked by the block in progress, 0 without one. */
  get blockedMs () {
    const block = this.#detector.open
    return block === null ? 0 : nowMs() - block.startMs
  }

  /** The record of the block in progress, as it is now. @returns {BlockRecord | null} */
  get ongoing () {
    return this.#detector.open === null ? null : this.#ongoing(nowMs())
  }

  /**
   * A look where nothing is going on, as at most times.
   * @param {number} now
   * @returns {number | null} when to look again at the latest, null where there is something to look at
   */
  glance (now) {
    const { bridge, stats } = this.#parts
    if (this.#incident !== null || this.#held.length > 0 || this.#sampler.askedAtMs !== null) return null
    const beat = bridge.beat.read()
    if (!bridge.lateBeats.isEmpty) return null
    const wakeAtMs = this.#detector.glance(now, beat)
    if (wakeAtMs === null) return null
    this.#calm = stats.read(now)
    this.knownToMs = beat.atMs
    return wakeAtMs
  }

  /**
   * @param {number} now
   * @param {boolean} selfLate this look itself came later than it was due
   * @returns {{ wakeAtMs: number, eventful: boolean }} when to look again at the latest; whether anything is going on
   */
  look (now, selfLate) {
    const { bridge, stats, adjust = unchanged } = this.#parts
    const taken = this.#sampler.take()
    if (taken !== null) this.#isDebugged = taken.debugged
    // In this order: a beat after its gap was pushed, so a gap that is missing now comes next time.
    const lastBeat = bridge.beat.read()
    const lateBeats = bridge.lateBeats.drain().map(([startMs, endMs, idleMs, periodMs, beats, cpuMs]) => ({ startMs, endMs, idleMs, periodMs, beats, cpuMs: orNull(cpuMs) }))
    const { sample, beat, gaps, reading: seen } = adjust({ sample: taken, beat: lastBeat, gaps: lateBeats, reading: stats.read(now) })
    const present = sample !== null && sample.beats === this.#incident?.beats ? sample : null
    if (present !== null) this.#addSample(present, now)

    const idleMs = this.#incident?.beats === beat.beats ? this.#incident.idleMs : null
    const { events, suspicious, wakeAtMs } = this.#detector.look({ nowMs: now, beat, gaps, idleMs, selfLate })
    const reading = suspicious || events.length > 0 ? stats.precise(seen) : seen
    for (const event of events) {
      if (event.type === 'close') this.#close(event, reading, beat.beats)
    }
    this.#watchSilence(suspicious, beat, reading)
    for (const event of events) {
      if (event.type === 'open') this.#open(event.block, now)
    }
    this.#lasting(now)
    this.#release(now, beat.beats)
    this.knownToMs = beat.atMs
    return { wakeAtMs: this.#nextLook(now, wakeAtMs), eventful: suspicious || events.length > 0 || this.#held.length > 0 }
  }

  /** @param {number} now @param {number} wakeAtMs */
  #nextLook (now, wakeAtMs) {
    const { askedAtMs } = this.#sampler
    const eager = askedAtMs !== null && now - askedAtMs < EAGER_MS ? now + 1 : Infinity
    const release = this.#held.length > 0 ? now + this.#parts.options.resolution : Infinity
    return Math.min(wakeAtMs, eager, release)
  }

  /** @param {import('../workers/atomics-wait-idle').PresentSample} sample @param {number} now */
  #addSample (sample, now) {
    const incident = /** @type {BlockBuilder} */ (this.#incident)
    const { frames } = this.#parts
    incident.add({ ...sample, isJustEntered: sample.late && frames.isJustEntered(sample.frames), frames: sample.frames.map((frame) => frames.get(frame)) })
    // Caught between two callbacks: asked again at once.
    if (this.#awaitsPlace(incident, now)) this.#sampler.hurry()
  }

  /** Whether a silence is so young that its first report is better late than without a place. @param {BlockBuilder} incident @param {number} now */
  #awaitsPlace (incident, now) {
    return !incident.isPlaced && now < incident.suspectedAtMs + EAGER_MS
  }

  /** @param {boolean} suspicious @param {import('../../bridge/beat').Beat} beat @param {Reading} reading */
  #watchSilence (suspicious, beat, reading) {
    if (this.#incident !== null && this.#incident.beats !== beat.beats) {
      this.#incident = null
      this.#sampler.forget()
    }
    if (!suspicious) {
      this.#calm = reading
      return
    }
    if (this.#incident === null) {
      this.#incident = this.#makeIncident(beat.beats)
      this.#incident.ownCpu.add(beat)
      this.#sampler.hurry()
    }
    this.#incident.addReading(reading)
    this.#sampler.askIfDue(reading.atMs, reading.atMs - beat.atMs)
  }

  /** @param {number} beats the beat its silence began with */
  #makeIncident (beats) {
    const { thread, threadId, surroundings, options, frames } = this.#parts
    return new BlockBuilder({ thread, threadId, beats, before: this.#calm, isDebugged: this.#isDebugged, surroundings: { ...surroundings, frames, thresholdMs: options.threshold } })
  }

  /** @param {import('./detector').Block} block @param {number} now */
  #open (block, now) {
    const incident = /** @type {BlockBuilder} */ (this.#incident)
    incident.begin(this.#parts.nextId(), block, now)
    this.#isStuckDone = false
    this.#isAnnounced = false
  }

  /** @param {number} now */
  #lasting (now) {
    const block = this.#detector.open
    if (block === null) return
    const { reports, options, surroundings } = this.#parts
    if (!this.#isAnnounced && !this.#awaitsPlace(/** @type {BlockBuilder} */ (this.#incident), now)) {
      this.#isAnnounced = true
      this.#progressAtMs = now + PROGRESS_MS
      reports.opened(this.#ongoing(now))
    }
    if (now >= this.#progressAtMs) {
      this.#progressAtMs = now + PROGRESS_MS
      reports.lasting(this.#ongoing(now))
    }
    // A process that was stopped as a whole was not stuck while it was.
    if (options.stuck === 0 || this.#isStuckDone || now - block.startMs - surroundings.watchdogGapWithin(block.startMs, now) < options.stuck) return
    const record = this.#ongoing(now)
    if (record.evidence.debugger) return
    this.#isStuckDone = true
    reports.stuck(record)
  }

  /** @param {number} now */
  #ongoing (now) {
    return /** @type {BlockBuilder} */ (this.#incident).ongoing(now, this.#parts.isHeldUp?.() ? null : this.#sampler.askedAtMs)
  }

  /** @param {import('./detector').Closed} end @param {Reading} after @param {number} beats */
  #close (end, after, beats) {
    const known = this.#incident?.beats === end.block.beats ? this.#incident : null
    const incident = known ?? this.#makeIncident(end.block.beats)
    if (incident.block === null) incident.begin(this.#parts.nextId(), end.block, after.atMs)
    this.#isAnnounced = true
    this.#progressAtMs = Infinity
    this.#parts.reports.ended(incident.closed(end, after), { startMs: end.endMs - end.durationMs, endMs: end.endMs, requestId: incident.requestId })
    this.#held.push({ incident, end, after, beats })
  }

  /** Settles the ended blocks whose evidence is complete. @param {number} now @param {number} beats */
  #release (now, beats) {
    while (this.#held.length > 0) {
      const [{ incident, end, after, beats: since }] = this.#held
      if (beats - since < HOLD_BEATS && now - after.atMs < HOLD_MS) return
      if (this.#parts.isAwaited?.(end.endMs, now)) return
      this.#held.shift()
      this.#parts.reports.settled(incident.closed(end, after), end.endMs)
    }
  }

  /** Ends watching; a block in progress is reported as far as it came. @param {number} now */
  stop (now) {
    const block = this.#detector.open
    if (block !== null) {
      const durationMs = now - block.startMs
      const end = { endMs: now, durationMs, uncertaintyMs: block.uncertaintyMs, busyMs: durationMs }
      this.#close({ type: 'close', block, ...end, seen: true }, this.#parts.stats.precise(this.#parts.stats.read(now)), 0)
    }
    this.#release(Infinity, 0)
  }
}

exports.LoopMonitor = LoopMonitor
