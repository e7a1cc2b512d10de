'use strict'

const path = require('node:path')
const { see, tell } = require('../../explain/findings')
const { Fold } = require('../../explain/fold')
const { causeOf, isHeld } = require('../../explain/cause')
const { KernelEvidence } = require('../../explain/evidence')
const { blamedFrame, wrapsNative } = require('../../explain/frame')
const { ownFrame } = require('../../explain/own-time')
const { ownerOf } = require('../../util/code-owner')
const { causes, isOwnBlock } = require('../../tables/causes')
const { median, roundMs } = require('../../util/statistics')
const { US_PER_MS } = require('../../util/units')
const { OwnCpu } = require('./own-cpu')
const { packageIn } = require('../source/packages')
const { LATE_MS } = require('./sampler')
const { workRecords } = require('./work-record')

const OWN_PACKAGE = path.join(__dirname, '..', '..', '..')
/** The median answer time of a block is taken from at most this many of its first answers. */
const ANSWERS = 100
/** The most open requests of one block that are remembered. */
const OTHERS = 50

/**
 * @typedef {import('../../types').BlockRecord} BlockRecord
 * @typedef {import('../../types').Frame} Frame
 * @typedef {import('../../explain/fold').Stack} Stack
 * @typedef {import('./detector').Block} Block
 * @typedef {import('../kernel/thread-stats').Reading} Reading
 * @typedef {import('./work-record').ThreadWork} ThreadWork
 * @typedef {object} Surroundings what else the watchdog knows of an interval
 * @property {(startMs: number, endMs: number) => number} gcWithin
 * @property {(startMs: number, endMs: number) => number} watchdogGapWithin
 * @property {(nowMs: number) => number} [heldMicros] for which the agent has kept the thread so far
 * @property {(startMs: number, endMs: number) => import('../../types').OriginRecord | null} [originWithin]
 * @property {(startMs: number, endMs: number) => string | null} [allowedWithin] why it was allowed to block
 * @property {(startMs: number, endMs: number) => boolean} [isMajorGcWithin] the whole heap was collected meanwhile
 * @property {() => import('./block-memory').BlockMemory} [memory] follows that of one block
 * @property {(startMs: number, endMs: number) => import('../../types').SleptIn | null} [waitWithin] what it slept in
 * @property {(record: BlockRecord, startMs: number, endMs: number) => BlockRecord} [layProfile] adds a CPU profile
 * @property {() => ThreadWork | null} [workOf] what a whole worker thread works on @property {number} thresholdMs
 * @property {import('../../explain/source/frame-table').FrameTable} [frames] may know more of the code by now
 * @typedef {Surroundings['frames']} Table
 * @typedef {import('./sampler').Sample & { isJustEntered?: boolean }} PlacedSample its frames at original places
 * @typedef {Pick<import('./detector').Ended, 'endMs' | 'durationMs' | 'uncertaintyMs' | 'busyMs' | 'cpuMs'>} End
 * @typedef {Omit<Required<End>, 'cpuMs'> & { startMs: number, ongoing: boolean }} Span
 * @typedef {ReturnType<typeof see> & { key: string, told: ReturnType<typeof tell> | null }} Seen
 * @typedef {ReturnType<KernelEvidence['ongoing']> & { gcMs: number, nativeMs: number, watchdogGapMs: number }} Evidence
 */

/** Collects what is learned of an overdue beat, from begin() on certainly a block, and makes a record at any time. */
class BlockBuilder {
  #fold = new Fold()
  /** Samples from before begin(), when the start of the block was not known. @type {PlacedSample[]} */
  #early = []
  /** @type {number[]} */
  #answersMs = []
  /** The work that the last record named. @type {ReturnType<typeof tell>['running']} */
  #running = { work: null, request: null, exact: true }
  /** Requests that were open, by id. @type {Map<number, import('../../types').RequestContext>} */
  #others = new Map()
  /** @type {Seen | null} */
  #seen = null
  #lastAnswerMs = 0
  #memory
  #nativeMs = 0
  #runningMs = 0
  /** Where loopwatch itself was seen last. @type {import('../../types').Frame | null} */
  #ownFrame = null
  /** How much of the block, once it is over, was loopwatch's own. @type {number | undefined} */
  #ownMs
  #heldMicros
  #debugged
  #kernel
  #surroundings
  #thread
  #threadId
  /** Wall clock at the monotonic zero. */
  #wallMs = 0
  /** @type {number | null} the host's idle time at the start of the block, from its first answer */
  idleMs = null
  id = ''
  /** @type {Block | null} */
  block = null
  ownCpu = new OwnCpu()

  /**
   * @param {object} parts @param {string} parts.thread @param {number} parts.threadId
   * @param {number} parts.beats the number of the last beat before it
   * @param {Reading} parts.before the last one of calm @param {Surroundings} parts.surroundings
   * @param {boolean} parts.isDebugged the last answer came from under a debugger
   * @param {number} [parts.heldMicros] for which the agent had kept the thread by that beat
   */
  constructor ({ thread, threadId, beats, before, isDebugged, heldMicros, surroundings }) {
    this.beats = beats
    /** Whether a sample has shown a frame to blame. */
    this.isPlaced = false
    this.#thread = thread
    this.#threadId = threadId
    this.#debugged = isDebugged
    this.#heldMicros = heldMicros
    this.#kernel = new KernelEvidence(before)
    this.#surroundings = surroundings
    this.#memory = surroundings.memory?.()
  }

  /** @param {string} id @param {Block} block @param {number} nowMs */
  begin (id, block, nowMs) {
    this.id = id
    this.block = block
    this.#lastAnswerMs = block.startMs
    this.#wallMs = Date.now() - nowMs
    this.#memory?.begin()
    for (const sample of this.#early.splice(0)) this.add(sample)
  }

  /** @param {PlacedSample} sample */
  add (sample) {
    this.ownCpu.add(sample)
    this.#memory?.sample()
    this.idleMs ??= sample.idleMs
    this.isPlaced ||= blamedFrame(sample.frames) !== null
    if (this.block === null) {
      this.#early.push(sample)
      return
    }
    this.#debugged = sample.debugged
    const own = ownFrame(sample.frames)
    // What the agent does on top of a block, or right after it, says nothing of the block.
    this.#ownFrame = own ?? this.#ownFrame
    if (sample.debugged || own !== null) return

    const weightMs = Math.max(0, sample.atMs - this.#lastAnswerMs)
    const beforeMs = Math.min(weightMs, Math.max(0, (begunAtMs(sample) ?? -Infinity) - this.#lastAnswerMs))
    const heldMs = sample.atMs - Math.max(sample.askedAtMs, this.#lastAnswerMs)
    this.#lastAnswerMs = Math.max(this.#lastAnswerMs, sample.atMs)
    if (this.#answersMs.length < ANSWERS) this.#answersMs.push(sample.atMs - sample.askedAtMs)
    if (!sample.isFirstAsked) this.#judge(sample, weightMs, heldMs)
    this.#fold.add({ ...sample, ...(sample.isFirstAsked && inDoubt(sample)), weightMs, beforeMs, heldMs })
    for (const request of sample.others ?? []) if (this.#others.size < OTHERS) this.#others.set(request.id, request)
  }

  /**
   * Counts a sample as a native call or as running JavaScript. If an answer was late only because the thread waited for
   * a CPU, its stack shows where the thread lost its CPU.
   * @param {PlacedSample} sample @param {number} weightMs @param {number} heldMs
   */
  #judge ({ late, waitedMs = 0, frames }, weightMs, heldMs) {
    if (late && heldMs - waitedMs >= LATE_MS) {
      // What ran before the first question is unknown. A call that delayed the answer has likely begun there.
      const heldUpMs = this.#fold.samples === 0 ? weightMs - this.#kernel.waitedBeforeMs : heldMs
      this.#nativeMs += Math.max(0, heldUpMs - waitedMs)
    } else if (wrapsNative(frames)) this.#nativeMs += Math.max(0, weightMs - waitedMs)
    else if (frames.length > 0 && frames[0].file !== null) this.#runningMs += weightMs
  }

  /** @param {Reading} reading taken within the block */
  addReading (reading) {
    this.#kernel.add(reading)
  }

  /**
   * The ids of the work that ran longest and of what it is part of: the block does not delay these. None if several
   * may have been running, as each of them mostly waited.
   */
  get workIds () {
    const { work, request } = this.#running
    if (work?.among) return []
    const ids = [work?.id, work?.rootId, work?.parent?.id, request?.id].map(Number)
    return [...new Set(ids.filter(Number.isInteger))]
  }

  get overdueAtMs () {
    return this.#kernel.firstAtMs
  }

  /** @param {number} nowMs @param {number | null} askedAtMs when the question was asked that has no answer yet */
  ongoing (nowMs, askedAtMs) {
    const { startMs, uncertaintyMs } = /** @type {Block} */ (this.block)
    const durationMs = nowMs - startMs
    const span = { startMs, endMs: nowMs, durationMs, uncertaintyMs, busyMs: durationMs, ongoing: true }
    const kernel = this.#kernel.ongoing(span, this.ownCpu.within(startMs, durationMs))
    return this.#record(span, kernel, this.#nativeMs + this.#unansweredMs(nowMs, durationMs, askedAtMs))
  }

  /** @param {number} nowMs @param {number} durationMs @param {number | null} askedAtMs of the open question */
  #unansweredMs (nowMs, durationMs, askedAtMs) {
    if (askedAtMs === null) return 0
    // No answer so far: the thread has most likely not answered from the start.
    if (this.#fold.samples === 0) return durationMs
    return nowMs - askedAtMs >= LATE_MS ? nowMs - askedAtMs : 0
  }

  /** The record of the ended block. @param {End} end @param {Reading} after the first one of calm */
  ended ({ endMs, durationMs, uncertaintyMs, busyMs, cpuMs = null }, after) {
    const startMs = endMs - durationMs
    const ownCpuMs = cpuMs === null ? this.ownCpu.within(startMs, durationMs) : Math.min(durationMs, cpuMs)
    const span = { startMs, endMs, durationMs, uncertaintyMs, busyMs, ongoing: false }
    return this.#record(span, this.#kernel.ended(span, after, ownCpuMs), this.#nativeMs)
  }

  /** @param {Span} span @param {ReturnType<KernelEvidence['ongoing']>} kernel @param {number} nativeMs */
  #record (span, kernel, nativeMs) {
    const { layProfile, workOf: threadWork, frames: table } = this.#surroundings
    const { durationMs, ongoing } = span
    const seen = this.#see()
    const { stacks, blamed, callbacks, awaits } = seen
    const measured = this.#measured(span, kernel, nativeMs, seen)
    // A thread that is held up can be at any line: that line does not block by itself.
    const isSure = !isHeld({ ...measured.evidence, durationMs, runningMs: this.#runningMs })
    const frame = blamed && { ...blamed, exact: blamed.exact && isSure }
    const record = { ...measured, ...(callbacks && { callbacks }), frame }
    const laid = ongoing ? record : layProfile?.(record, span.startMs, span.endMs) ?? record
    // The rest of the time is the application's, which is less.
    const isAwaited = awaits?.exact && laid.frame?.exact === false && ownerOf(laid.frame) === 'application'
    const explained = isAwaited ? { ...laid, frame: null } : laid
    const others = [...this.#others.values()]
    const told = ongoing ? seen.told ??= tell(record, stacks, others, table) : tell(explained, stacks, others, table)
    // Names and calls that are still being read change it without a new version.
    if (table?.isAwaiting) this.#seen = null
    this.#running = told.running
    const wallTime = (/** @type {number} */ ms) => this.#wallTime(ms)
    const works = told.shares?.map(({ running, frame, weightMs }) => ({
      ...workRecords(running, null, wallTime),
      frame: frame && { ...frame, exact: frame.exact && isSure },
      weightMs: roundMs(weightMs)
    }))
    return this.#withOwnTime({
      ...explained,
      ...told.named,
      frame: explained.frame && { ...explained.frame, function: told.name },
      ...workRecords(told.running, threadWork?.() ?? null, wallTime),
      ...(works && { works }),
      generated: told.generated,
      calledFrom: calledFrom(explained, awaits && { ...awaits, exact: awaits.exact && isSure }, table),
      package: packageAtFault(explained, told.folder)
    }, span)
  }

  /**
   * Adds the time that loopwatch itself took, as far as it is part of the block: mostly the host has left it out. A
   * block that is mostly ours is blamed on loopwatch, and on no work.
   * @param {BlockRecord} record @param {Span} span @returns {BlockRecord}
   */
  #withOwnTime (record, { endMs, durationMs, busyMs, ongoing }) {
    const { heldMicros, frames } = this.#surroundings
    const heldMs = ((heldMicros?.(endMs) ?? 0) - (this.#heldMicros ?? Infinity) | 0) / US_PER_MS
    // Later the agent goes on, which is not part of this block.
    if (!ongoing) this.#ownMs ??= Math.max(0, Math.min(heldMs, durationMs - busyMs))
    const ownMs = roundMs(this.#ownMs ?? Math.min(heldMs, durationMs))
    const told = { ...record, evidence: { ...record.evidence, ownMs } }
    if (!isOwnBlock(told)) return told
    const frame = this.#ownFrame && { ...this.#ownFrame, exact: true }
    const none = { generated: null, calledFrom: null, work: null, works: undefined, request: null, origin: null }
    return { ...told, frame: frame && (frames?.named(frame) ?? frame), package: packageIn(OWN_PACKAGE), ...none }
  }

  /** What the samples show: each answer and each source map changes it, a question does not. */
  #see () {
    const { frames: table } = this.#surroundings
    const key = `${this.#fold.samples} ${table?.version}`
    if (this.#seen?.key !== key) this.#seen = { key, told: null, ...see(this.#fold, table) }
    return this.#seen
  }

  /**
   * @param {Span} span @param {ReturnType<KernelEvidence['ongoing']>} kernel @param {number} nativeMs
   * @param {ReturnType<typeof see>} seen @returns {BlockRecord}
   */
  #measured (span, kernel, nativeMs, { isFirst, innermost, listed }) {
    const { originWithin, allowedWithin, waitWithin, isMajorGcWithin } = this.#surroundings
    const { startMs, endMs, durationMs, ongoing } = span
    const evidence = this.#evidence(span, kernel, nativeMs)
    const cause = this.#causeOf(span, evidence)
    const sleptIn = causes[cause].isAsleep ? waitWithin?.(startMs, endMs) : null
    // The host reports its pauses when the block is over.
    const isCollected = ongoing || isMajorGcWithin?.(startMs, endMs) === true
    return {
      id: this.id,
      pid: process.pid,
      thread: this.#thread,
      threadId: this.#threadId,
      worker: null,
      // In progress: the latest time at which it can have begun. Ended: its true start.
      startedAt: this.#wallTime(startMs),
      durationMs: roundMs(durationMs),
      uncertaintyMs: roundMs(span.uncertaintyMs),
      ongoing,
      // A process that answers requests has started up.
      startup: /** @type {Block} */ (this.block).startup && isFirst,
      cause,
      evidence: {
        ...this.#evidenceRecord(evidence),
        ...(sleptIn && { sleptIn }),
        ...(this.#memory && { memory: this.#memory.record(!ongoing, isCollected) })
      },
      frame: null,
      leaf: innermost,
      samples: this.#fold.samples,
      stacks: listed,
      work: null,
      request: null,
      // Known only when the callback is over.
      origin: ongoing ? null : originWithin?.(startMs, endMs) ?? null,
      profile: null,
      allowed: allowedWithin?.(startMs, endMs) ?? null
    }
  }

  /** @param {Span} span @param {ReturnType<KernelEvidence['ongoing']>} kernel @param {number} nativeMs */
  #evidence ({ startMs, endMs, durationMs }, kernel, nativeMs) {
    const { gcWithin, watchdogGapWithin } = this.#surroundings
    return {
      ...kernel,
      gcMs: gcWithin(startMs, endMs),
      nativeMs: Math.min(durationMs, nativeMs),
      watchdogGapMs: watchdogGapWithin(startMs, endMs)
    }
  }

  /** @param {Span} span @param {Evidence} evidence */
  #causeOf ({ durationMs, busyMs, ongoing }, evidence) {
    const { requests, samples } = this.#fold
    return causeOf({
      ...evidence,
      runningMs: this.#runningMs,
      durationMs,
      ongoing,
      thresholdMs: this.#surroundings.thresholdMs,
      busyMs,
      samples,
      requests: requests.distinct,
      topRequestShare: requests.topShare,
      longestRunMs: requests.longestRunMs,
      debugged: this.#debugged
    })
  }

  /** @param {Evidence} evidence @returns {import('../../types').EvidenceRecord} */
  #evidenceRecord ({ cpuMs, gcMs, runQueueMs, throttledMs, stolenMs, nativeMs, watchdogGapMs }) {
    return {
      cpuMs: round(cpuMs),
      gcMs: roundMs(gcMs),
      runQueueMs: round(runQueueMs),
      throttledMs: round(throttledMs),
      stolenMs: round(stolenMs),
      answerMs: round(median(this.#answersMs) ?? null),
      nativeMs: roundMs(nativeMs),
      watchdogGapMs: roundMs(watchdogGapMs),
      requests: this.#fold.requests.distinct,
      debugger: this.#debugged
    }
  }

  /** @param {number} ms monotonic */
  #wallTime (ms) {
    return new Date(this.#wallMs + ms).toISOString()
  }
}

/** @param {BlockRecord} record @param {BlockRecord['frame']} awaits @param {Table} table */
function calledFrom ({ frame }, awaits, table) {
  if (awaits === null || (frame !== null && ownerOf(frame) === 'application')) return null
  return table?.named(awaits) ?? awaits
}

/** @param {BlockRecord} record @param {string | null} folder of the package whose code ran */
function packageAtFault ({ cause }, folder) {
  return folder === null || causes[cause].excuse !== undefined ? null : packageIn(folder)
}

/**
 * Nothing was asked while a script ran, so an answer soon after it may come from other code.
 * @param {PlacedSample} sample
 */
function inDoubt ({ work = null, request }) {
  return { late: true, work: work && { ...work, exact: false }, request: request && { ...request, exact: false } }
}

/** When the work of a sample began. @param {PlacedSample} sample */
function begunAtMs ({ work, request }) {
  return (work ?? request)?.startedAtMs ?? null
}

/** @param {number | null} ms */
function round (ms) {
  return ms === null ? null : roundMs(ms)
}

exports.BlockBuilder = BlockBuilder
