'use strict'

const { blamedFrame, ownFrame, wrapsNative } = require('../../explain/frame')
const { US_PER_MS } = require('../../util/units')
const { MemoryUse } = require('./memory-use')
const { KernelEvidence } = require('./kernel-evidence')
const { Fold } = require('./sample-fold')
const { LATE_MS } = require('./sampler')
const { intersected } = require('./self-lateness')

/**
 * @import { HeapSlots } from '../../bridge/memory'
 * @import { Facts, Span } from '../../explain/record'
 * @import { Frame, HeapProfileRecord, RequestContext } from '../../types'
 * @import { MemoryStats } from '../kernel/memory-stats'
 * @import { Origins } from '../origin/origin-matcher'
 * @import { ProfileWindows } from '../profile/profile-windows'
 * @import { Block, Ended } from './detector'
 * @import { AgentHolds, AllowedTime, GcPauses, Queries, SleptCalls } from './intervals'
 * @import { Reading } from './kernel-evidence'
 * @import { Interval, SelfLateness } from './self-lateness'
 * @import { Sample } from './sampler'
 */

/** The median answer time of a block is taken from at most this many of its first answers. */
const ANSWERS = 100
/** The most open requests of one block that are remembered. */
const OTHERS = 50
/** The most intervals of one block in which calls delayed answers: more are rarer than one in 10 ms. */
const CALLS = 500

/**
 * @typedef {object} Surroundings what else the watchdog knows of a thread, each by the time that it covers
 * @property {Pick<GcPauses, 'within'> & Partial<Pick<GcPauses, 'listWithin' | 'isMajorWithin'>>} gcPauses
 * @property {Pick<SelfLateness, 'within'>} lateness of the watchdog
 * @property {Pick<ProfileWindows, 'within' | 'isBegunLate'>} [windows]
 * @property {Pick<AgentHolds, 'heldMicros'>} [holds] @property {Pick<Origins, 'within'>} [origins]
 * @property {Pick<Queries, 'within'> | null} [queries]
 * @property {Pick<AllowedTime, 'reasonWithin'>} [allowed]
 * @property {Pick<SleptCalls, 'within' | 'lookIfDue'>} [waits]
 * @property {{ within: (startMs: number, endMs: number) => number }} [silence] native calls that answered nobody
 * @property {{ heap: HeapSlots, system: MemoryStats, profile?: () => HeapProfileRecord | null }} [memory]
 * @property {() => Facts['threadWork']} [workOf] what a whole worker thread works on
 * @typedef {Sample & { isJustEntered?: boolean }} PlacedSample its frames at original places
 * @typedef {Pick<Ended, 'endMs' | 'durationMs' | 'uncertaintyMs' | 'busyMs' | 'cpuMs'>} End
 */

/** Collects the facts of an overdue beat, which is a block from begin() on. */
class BlockFacts {
  #fold = new Fold()
  /** Samples from before begin(), when the start of the block was not known. @type {PlacedSample[]} */
  #early = []
  /** The first samples as long as they show only code between two callbacks. @type {PlacedSample[]} */
  #unplaced = []
  /** @type {number[]} */
  #answersMs = []
  /** Requests that were open, by id. @type {Map<number, RequestContext>} */
  #others = new Map()
  #lastAnswerMs = 0
  #memory
  #nativeMs = 0
  /** Intervals in which calls delayed answers. @type {Interval[]} */
  #calls = []
  #runningMs = 0
  /** The last sampled frame of loopwatch itself. @type {Frame | null} */
  #ownFrame = null
  /** Loopwatch's own part of the block, once that has ended. @type {number | undefined} */
  #ownMs
  #heldMicros
  #kernel
  #surroundings
  #thresholdMs
  #owner
  /** Wall clock at the monotonic zero. */
  #wallMs = 0
  /** @type {number | null} the host's idle time at the start of the block, from its first answer */
  idleMs = null
  id = ''
  /** @type {Block | null} */
  block = null
  ownCpu = new OwnCpu()

  /**
   * @param {object} parts @param {{ thread: string, threadId: number }} parts.owner
   * @param {number} parts.beats the number of the last beat before it
   * @param {Reading} parts.before the last one of calm @param {Surroundings} parts.surroundings
   * @param {number} parts.thresholdMs
   * @param {number} [parts.heldMicros] for which the agent had kept the thread by that beat
   */
  constructor ({ owner, beats, before, heldMicros, surroundings, thresholdMs }) {
    this.beats = beats
    /** Whether a sample has shown a frame to blame. */
    this.isPlaced = false
    this.#owner = owner
    this.#thresholdMs = thresholdMs
    this.#heldMicros = heldMicros
    this.#kernel = new KernelEvidence(before)
    this.#surroundings = surroundings
    const { memory } = surroundings
    this.#memory = memory && new MemoryUse(memory.heap, memory.system, memory.profile)
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
    const isPlaced = blamedFrame(sample.frames) !== null
    this.isPlaced ||= isPlaced
    if (this.block === null) {
      this.#early.push(sample)
      return
    }
    const own = ownFrame(sample.frames)
    // The agent's own work on top of a block, or right after it, says nothing about the block.
    this.#ownFrame = own ?? this.#ownFrame
    if (own !== null) return
    if (sample.late) this.#countUnplaced()
    this.#unplaced.push(sample)
    const mayWait = this.#fold.samples === 0 && !sample.late
    if (!mayWait || isPlaced) this.#countUnplaced(isPlaced)
  }

  /**
   * Counts the samples that wait, which came one right after the other: each gets an equal part of the time, or the
   * last one two thirds if it alone shows a place.
   */
  #countUnplaced (isPlaced = false) {
    const samples = this.#unplaced.splice(0)
    const others = samples.length - 1
    const endMs = samples.at(-1)?.atMs ?? 0
    for (const [i, sample] of samples.entries()) {
      const share = i === others ? 1 : 1 / (others - i + (isPlaced ? 2 * others : 1))
      this.#count(sample, this.#lastAnswerMs + (endMs - this.#lastAnswerMs) * share)
    }
  }

  /** @param {PlacedSample} sample @param {number} untilMs what it stands for ends there */
  #count (sample, untilMs) {
    const weightMs = Math.max(0, untilMs - this.#lastAnswerMs)
    const { work, request, others = [], isAfterRefusal } = sample
    const workStartedAtMs = (work ?? request)?.startedAtMs ?? -Infinity
    const beforeMs = Math.min(weightMs, Math.max(0, workStartedAtMs - this.#lastAnswerMs))
    const heldMs = sample.atMs - Math.max(sample.questionAtMs, this.#lastAnswerMs)
    this.#lastAnswerMs = Math.max(this.#lastAnswerMs, untilMs)
    if (this.#answersMs.length < ANSWERS) this.#answersMs.push(sample.atMs - sample.questionAtMs)
    const counted = { ...sample, weightMs, beforeMs, heldMs }
    if (isAfterRefusal) {
      // Nothing was asked while a script ran, so an answer soon after it may come from other code.
      this.#fold.add({ ...counted, late: true, work: work && doubted(work), request: request && doubted(request) })
    } else {
      this.#judge(sample, weightMs, heldMs)
      this.#fold.add(counted)
    }
    for (const other of others) if (this.#others.size < OTHERS) this.#others.set(other.id, other)
  }

  /**
   * Counts a sample as a native call or as running JavaScript. If an answer was late only because the thread waited for
   * a CPU, its stack shows where the thread lost its CPU.
   * @param {PlacedSample} sample @param {number} weightMs @param {number} heldMs
   */
  #judge ({ late, waitedMs = 0, frames, atMs }, weightMs, heldMs) {
    if (late && heldMs - waitedMs >= LATE_MS) {
      // Nothing shows what ran before the first question. A call that delayed the answer has likely begun there.
      const isFirst = this.#fold.samples === 0
      this.#nativeMs += Math.max(0, (isFirst ? weightMs - this.#kernel.waitedBeforeMs : heldMs) - waitedMs)
      this.#addCall(isFirst ? weightMs : heldMs, atMs)
    } else if (wrapsNative(frames)) {
      this.#nativeMs += Math.max(0, weightMs - waitedMs)
      this.#addCall(weightMs, atMs)
    } else if (frames.length > 0 && frames[0].file !== null) this.#runningMs += weightMs
  }

  /** @param {number} ms @param {number} endMs */
  #addCall (ms, endMs) {
    if (this.#calls.length < CALLS) this.#calls.push({ startMs: endMs - ms, endMs })
  }

  /** @param {Reading} reading taken within the block */
  addReading (reading) {
    this.#kernel.add(reading)
  }

  get overdueAtMs () {
    return this.#kernel.firstAtMs
  }

  /**
   * @param {number} nowMs @param {number | null} questionAtMs when the question was asked that has no answer yet
   * @returns {Facts}
   */
  ongoing (nowMs, questionAtMs) {
    this.#countUnplaced()
    const { startMs, uncertaintyMs } = /** @type {Block} */ (this.block)
    const durationMs = nowMs - startMs
    const span = { startMs, endMs: nowMs, durationMs, uncertaintyMs, busyMs: durationMs, ongoing: true }
    const kernel = this.#kernel.ongoing(span, this.ownCpu.within(startMs, durationMs))
    const waitMs = questionAtMs === null ? 0 : nowMs - questionAtMs
    // No answer at all: the thread has most likely not answered from the start.
    const isSilent = questionAtMs !== null && this.#fold.samples === 0
    const unansweredMs = isSilent ? durationMs : waitMs >= LATE_MS ? waitMs : 0
    const calls = [...this.#calls, { startMs: nowMs - unansweredMs, endMs: nowMs }]
    return this.#facts(span, { ...kernel, ...this.#spent(calls, span) }, this.#nativeMs + unansweredMs)
  }

  /** Once the block has ended. @param {End} end @param {Reading} after the first one of calm @returns {Facts} */
  ended ({ endMs, durationMs, uncertaintyMs, busyMs, cpuMs = null }, after) {
    this.#countUnplaced()
    const startMs = endMs - durationMs
    const ownCpuMs = cpuMs === null ? this.ownCpu.within(startMs, durationMs) : Math.min(durationMs, cpuMs)
    const span = { startMs, endMs, durationMs, uncertaintyMs, busyMs, ongoing: false }
    const kernel = this.#kernel.ended(span, after, ownCpuMs)
    return this.#facts(span, { ...kernel, ...this.#spent(this.#calls, span, after) }, this.#nativeMs)
  }

  /**
   * Time spent in the collector's pauses and in calls, each null if the kernel does not report it.
   * @param {Interval[]} calls @param {Span} span @param {Reading} [after]
   */
  #spent (calls, { startMs, endMs }, after) {
    const { gcPauses, lateness } = this.#surroundings
    const pauses = gcPauses.listWithin?.(startMs, endMs)
    const spentIn = (/** @type {Interval[]} */ parts) => this.#kernel.spentIn(parts, startMs, after)
    const [gc, all] = pauses === undefined ? [null, null] : [spentIn(pauses), spentIn(calls)]
    if (pauses === undefined || gc === null || all === null) return { gcCpuMs: null, gcHeldMs: null, nativeCpuMs: null }
    const stoppedMs = pauses.reduce((ms, each) => ms + lateness.within(each.startMs, each.endMs), 0)
    const collecting = spentIn(intersected(pauses, calls))
    return {
      gcCpuMs: gc.cpuMs,
      gcHeldMs: gc.waitedMs + stoppedMs,
      nativeCpuMs: Math.max(0, all.cpuMs - (collecting?.cpuMs ?? 0))
    }
  }

  /** @param {Span} span @param {Facts['kernel']} kernel @param {number} nativeMs @returns {Facts} */
  #facts (span, kernel, nativeMs) {
    const { startMs, endMs, durationMs, busyMs, ongoing } = span
    const { gcPauses, lateness, windows, holds, origins, queries, allowed, waits, silence, workOf } = this.#surroundings
    // The host reports its pauses at the end of the block.
    const isCollected = ongoing || gcPauses.isMajorWithin?.(startMs, endMs) === true
    // Only a profile of a thread, which the main thread takes, may come during the block.
    const mayHaveProfile = windows?.isBegunLate || !ongoing
    const heldMs = ((holds?.heldMicros(endMs) ?? 0) - (this.#heldMicros ?? Infinity) | 0) / US_PER_MS
    // Once the block has ended, the agent may go on, which is not part of it. Mostly the host has left its part out.
    if (!ongoing) this.#ownMs ??= Math.max(0, Math.min(heldMs, durationMs - busyMs))
    return {
      block: { id: this.id, pid: process.pid, ...this.#owner, startup: /** @type {Block} */ (this.block).startup },
      span,
      thresholdMs: this.#thresholdMs,
      wallMs: this.#wallMs,
      kernel,
      stacks: this.#fold.stacks,
      samples: this.#fold.samples,
      requests: this.#fold.requests,
      answersMs: this.#answersMs,
      nativeMs: nativeMs + Math.max(0, (silence?.within(startMs, endMs) ?? 0) - (kernel.runQueueMs ?? 0)),
      runningMs: this.#runningMs,
      gcMs: gcPauses.within(startMs, endMs),
      watchdogGapMs: lateness.within(startMs, endMs),
      ownMs: this.#ownMs ?? Math.min(heldMs, durationMs),
      ownFrame: this.#ownFrame,
      others: [...this.#others.values()],
      threadWork: workOf?.() ?? null,
      // The host reports a callback at its end.
      origin: ongoing ? null : origins?.within(startMs, endMs) ?? null,
      query: queries?.within(startMs, endMs) ?? null,
      allowed: allowed?.reasonWithin(startMs, endMs) ?? null,
      sleptIn: waits?.within(startMs, endMs) ?? null,
      memory: this.#memory?.record(!ongoing, isCollected) ?? null,
      profile: mayHaveProfile ? windows?.within(startMs, endMs) : undefined
    }
  }
}

/** @template T @param {T} context */
const doubted = (context) => ({ ...context, exact: false })

/** Readings must cover this share of a block in progress: in the rest, a call that does not answer may have slept. */
const COVERED_SHARE = 0.6

/** @typedef {{ atMs: number, cpuMs?: number | null }} OwnReading */

/** The CPU time in a block by the thread's own readings (beats, answers): the only one without the kernel's figures. */
class OwnCpu {
  /** @type {{ atMs: number, cpuMs: number } | null} */
  #first = null
  /** @type {{ atMs: number, cpuMs: number } | null} */
  #last = null

  /** @param {OwnReading} reading the last beat before the block, or an answer within it */
  add ({ atMs, cpuMs = null }) {
    if (cpuMs === null) return
    this.#first ??= { atMs, cpuMs }
    this.#last = { atMs, cpuMs }
  }

  /** The CPU ms within a block, if two readings show it. @param {number} startMs @param {number} durationMs so far */
  within (startMs, durationMs) {
    if (this.#first === null || this.#last === null) return null
    // Between the beat and the start of the block the loop waited, which takes no CPU time.
    const coveredMs = this.#last.atMs - Math.max(this.#first.atMs, startMs)
    if (coveredMs <= 0 || coveredMs < COVERED_SHARE * durationMs) return null
    return Math.min(durationMs, (this.#last.cpuMs - this.#first.cpuMs) * Math.max(1, durationMs / coveredMs))
  }
}

exports.BlockFacts = BlockFacts
exports.OwnCpu = OwnCpu
