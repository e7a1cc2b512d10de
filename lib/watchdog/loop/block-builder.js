'use strict'

const { Fold } = require('../../explain/fold')
const { causeOf } = require('../../explain/cause')
const { blame, blamedFrame, generatedIn, leaf } = require('../../explain/frame')
const { wrapsNative } = require('../../explain/native')
const { folderAtFault } = require('../../explain/package')
const { causes } = require('../../tables/causes')
const { roundMs } = require('../../store/record')
const { OwnCpu } = require('./own-cpu')
const { packageIn } = require('../source/packages')
const { LATE_MS } = require('./sampler')

/** Kernel readings this far apart within the block outweigh those from before and after it. */
const ENOUGH_SHARE = 0.4
const ANSWERS = 100
/** The heaviest; what a block was is told by far fewer. */
const STACKS_IN_RECORD = 10

/**
 * @typedef {object} Surroundings what else the watchdog knows of an interval
 * @property {(startMs: number, endMs: number) => number} gcWithin
 * @property {(startMs: number, endMs: number) => number} watchdogGapWithin
 * @property {(startMs: number, endMs: number) => import('../../types').OriginRecord | null} [originWithin]
 * @property {(record: import('../../types').BlockRecord, startMs: number, endMs: number) => import('../../types').BlockRecord} [layProfile] the record with what a CPU profile says of it
 * @property {number} thresholdMs
 * @property {import('../../explain/frame-table').FrameTable} [frames] may have learned where code comes from since a sample was taken
 *
 * @typedef {import('../kernel/main-thread').Reading} Reading
 * @typedef {import('../workers/atomics-wait-idle').PresentSample & { isJustEntered?: boolean }} PlacedSample its frames at their original places
 * @typedef {Pick<import('./detector').Closed, 'endMs' | 'durationMs' | 'uncertaintyMs' | 'busyMs' | 'cpuMs'>} End
 */

/**
 * What is being learned of one silence of the host: first only a suspicion, from begin() on a
 * block, with a record at any time.
 */
class Incident {
  #fold = new Fold()
  /** @type {PlacedSample[]} of the suspicion, whose start is not known yet */
  #early = []
  /** @type {number[]} */
  #answersMs = []
  #lastAnswerMs = 0
  #nativeMs = 0
  #runningMs = 0
  #debugged
  #before
  /** @type {Reading | null} */
  #first = null
  #last
  #surroundings
  #thread
  #threadId
  /** Wall clock at the monotonic zero. */
  #wallMs = 0
  /** @type {number | null} the host's idle time when the silence began, as far as it has answered */
  idleMs = null
  id = ''
  /** @type {import('./detector').Block | null} */
  block = null
  /** What the thread itself tells of its CPU time. */
  ownCpu = new OwnCpu()

  /**
   * @param {object} parts
   * @param {string} parts.thread
   * @param {number} parts.threadId
   * @param {number} parts.beats the beat the silence began with
   * @param {Reading} parts.before the last one of calm
   * @param {boolean} parts.isDebugged the last answer came from under a debugger
   * @param {Surroundings} parts.surroundings
   */
  constructor ({ thread, threadId, beats, before, isDebugged, surroundings }) {
    this.beats = beats
    /** Whether a sample has shown a frame to blame. */
    this.isPlaced = false
    this.#thread = thread
    this.#threadId = threadId
    this.#debugged = isDebugged
    this.#before = before
    this.#last = before
    this.#surroundings = surroundings
  }

  /**
   * It is a block.
   * @param {string} id
   * @param {import('./detector').Block} block
   * @param {number} nowMs
   */
  begin (id, block, nowMs) {
    this.id = id
    this.block = block
    this.#lastAnswerMs = block.startMs
    this.#wallMs = Date.now() - nowMs
    for (const sample of this.#early.splice(0)) this.add(sample)
  }

  /** @param {PlacedSample} sample */
  add (sample) {
    this.ownCpu.add(sample)
    this.idleMs ??= sample.idleMs
    this.isPlaced ||= blamedFrame(sample.frames) !== null
    if (this.block === null) {
      this.#early.push(sample)
      return
    }
    this.#debugged = sample.debugged
    if (sample.debugged) return

    const weightMs = Math.max(0, sample.atMs - this.#lastAnswerMs)
    const heldMs = sample.atMs - Math.max(sample.askedAtMs, this.#lastAnswerMs)
    this.#lastAnswerMs = Math.max(this.#lastAnswerMs, sample.atMs)
    if (this.#answersMs.length < ANSWERS) this.#answersMs.push(sample.atMs - sample.askedAtMs)
    // Before its question was put nothing is known; a call that held up the answer likely began there.
    if (sample.late) this.#nativeMs += this.#fold.samples === 0 ? weightMs : heldMs
    else if (wrapsNative(sample.frames)) this.#nativeMs += weightMs
    else if (sample.frames.length > 0 && sample.frames[0].file !== null) this.#runningMs += weightMs
    this.#fold.add({ ...sample, weightMs, heldMs })
  }

  /** A reading taken within the block. @param {Reading} reading */
  addReading (reading) {
    this.#first ??= reading
    this.#last = reading
  }

  /** Of the request that was running longest, or null. @returns {number | null} */
  get requestId () {
    return this.#fold.requests.top?.id ?? null
  }

  /** When the first reading within the silence was taken. */
  get suspectedAtMs () {
    return this.#first?.atMs ?? Infinity
  }

  /**
   * The record of the block in progress.
   * @param {number} nowMs
   * @param {number | null} askedAtMs when the question was put that has no answer yet
   */
  ongoing (nowMs, askedAtMs) {
    const { startMs, uncertaintyMs } = /** @type {import('./detector').Block} */ (this.block)
    const durationMs = nowMs - startMs
    const waitingMs = askedAtMs === null ? 0 : nowMs - askedAtMs
    // Not one answer so far: whatever does not answer has most likely done so from the start.
    const silent = askedAtMs !== null && this.#fold.samples === 0
    const unansweredMs = silent ? durationMs : waitingMs >= LATE_MS ? waitingMs : 0
    return this.#record({ endMs: nowMs, durationMs, uncertaintyMs, busyMs: durationMs }, this.#last, true, unansweredMs)
  }

  /** The record of the ended block. @param {End} end @param {Reading} after the first one of calm */
  closed (end, after) {
    const seenMs = end.endMs - this.#before.atMs
    if (seenMs >= end.durationMs) return this.#record(end, after, false, 0)
    // The watchdog was not there when it began: its end stands for all of it, if there was enough, and what came after for none.
    if (seenMs < ENOUGH_SHARE * end.durationMs) this.#before = { ...this.#before, cpuMs: null, runQueueMs: null, throttledMs: null }
    return this.#record(end, { ...after, atMs: Math.min(after.atMs, end.endMs) }, false, 0)
  }

  /**
   * @param {End} end
   * @param {Reading} after
   * @param {boolean} ongoing
   * @param {number} unansweredMs
   * @returns {import('../../types').BlockRecord}
   */
  #record ({ endMs, durationMs, uncertaintyMs, busyMs, cpuMs: ownCpuMs = null }, after, ongoing, unansweredMs) {
    const { thresholdMs, gcWithin, watchdogGapWithin, originWithin, layProfile, frames: table } = this.#surroundings
    const block = /** @type {import('./detector').Block} */ (this.block)
    const startMs = endMs - durationMs
    const { requests, samples } = this.#fold
    const stacks = this.#fold.stacks.map((stack) => ({ ...stack, frames: stack.frames.map((frame) => table?.again(frame) ?? frame) }))
    const cpuMs = this.#cpuMs(durationMs, after) ?? (ownCpuMs === null ? this.ownCpu.within(startMs, durationMs) : Math.min(durationMs, ownCpuMs))
    const runQueueMs = spent(this.#before, after, 'runQueueMs', durationMs)
    const throttledMs = this.#throttledMs(startMs, durationMs, after)
    const evidence = {
      cpuMs,
      gcMs: gcWithin(startMs, endMs),
      runQueueMs,
      throttledMs,
      stolenMs: this.#stolenMs(durationMs - (cpuMs ?? durationMs) - Math.max(runQueueMs ?? 0, throttledMs ?? 0), durationMs, after),
      nativeMs: Math.min(durationMs, this.#nativeMs + unansweredMs),
      runningMs: this.#runningMs,
      machineIdleMs: this.#sinceFirstMs('machineIdleMs', durationMs, after),
      watchdogGapMs: watchdogGapWithin(startMs, endMs)
    }
    const cause = causeOf({
      ...evidence, durationMs, ongoing, thresholdMs, busyMs, samples, requests: requests.distinct, topRequestShare: requests.topShare, longestRunMs: requests.longestRunMs, debugged: this.#debugged
    })
    /** @type {import('../../types').BlockRecord} */
    const record = {
      id: this.id,
      pid: process.pid,
      thread: this.#thread,
      threadId: this.#threadId,
      worker: null,
      // Of an ended block it is known how much of the doubtful time before it was already its own.
      startedAt: new Date(this.#wallMs + startMs).toISOString(),
      durationMs: roundMs(durationMs),
      uncertaintyMs: roundMs(uncertaintyMs),
      ongoing,
      // A process that answers requests has started.
      startup: block.startup && requests.top === null,
      cause,
      evidence: {
        cpuMs: round(evidence.cpuMs),
        gcMs: roundMs(evidence.gcMs),
        runQueueMs: round(evidence.runQueueMs),
        throttledMs: round(evidence.throttledMs),
        stolenMs: round(evidence.stolenMs),
        answerMs: round(median(this.#answersMs)),
        nativeMs: roundMs(evidence.nativeMs),
        watchdogGapMs: roundMs(evidence.watchdogGapMs),
        requests: requests.distinct,
        debugger: this.#debugged
      },
      frame: blame(stacks),
      leaf: leaf(stacks),
      samples,
      stacks: stacks.slice(0, STACKS_IN_RECORD).map(({ count, weightMs, frames }) => ({ count, weightMs: roundMs(weightMs), frames })),
      request: requests.top && {
        method: requests.top.method,
        route: requests.top.route,
        startedAt: new Date(this.#wallMs + requests.top.startedAtMs).toISOString(),
        traceId: requests.top.traceId,
        ended: requests.top.ended
      },
      // Told when the callback is over.
      origin: ongoing ? null : originWithin?.(startMs, endMs) ?? null,
      profile: null
    }
    const told = ongoing ? record : layProfile?.(record, startMs, endMs) ?? record
    return { ...told, generated: generatedIn(stacks, told.frame), package: packageAtFault(told, stacks) }
  }

  /**
   * Two readings within the block tell its CPU time undisturbed by what came before and after it;
   * short blocks have none that are far enough apart.
   * @param {number} durationMs
   * @param {Reading} after
   */
  #cpuMs (durationMs, after) {
    const within = this.#first !== null && this.#last.atMs - this.#first.atMs >= ENOUGH_SHARE * durationMs
    return within
      ? spent(/** @type {Reading} */ (this.#first), this.#last, 'cpuMs', durationMs)
      : spent(this.#before, after, 'cpuMs', durationMs)
  }

  /**
   * The last figure of calm may be of a quarter of a second before the block (throttling.js). What came
   * before the first one within the block is of the block for as long as that had lasted by then, at most.
   * @param {number} startMs
   * @param {number} durationMs
   * @param {Reading} after
   */
  #throttledMs (startMs, durationMs, after) {
    const most = spent(this.#before, after, 'throttledMs', durationMs)
    if (most === null || this.#first === null || this.#first.throttledMs === null || after.throttledMs === null) return most
    return Math.min(most, after.throttledMs - this.#first.throttledMs + Math.max(0, this.#first.atMs - startMs))
  }

  /**
   * Some kernels count it as time on the CPU, and another thread's
   * is none of this one's, so it is no more than what nothing else explains.
   * @param {number} unexplainedMs
   * @param {number} durationMs
   * @param {Reading} after
   */
  #stolenMs (unexplainedMs, durationMs, after) {
    const stolenMs = this.#sinceFirstMs('stolenMs', durationMs, after)
    return stolenMs === null ? null : Math.max(0, Math.min(stolenMs, unexplainedMs))
  }

  /** What is only read from the first suspicion on, if that was early enough. @param {'stolenMs' | 'machineIdleMs'} counter @param {number} durationMs @param {Reading} after */
  #sinceFirstMs (counter, durationMs, after) {
    if (this.#first === null || after.atMs - this.#first.atMs < ENOUGH_SHARE * durationMs) return null
    return spent(this.#first, after, counter, durationMs)
  }
}

/**
 * What was spent of a kernel counter in a block, from two readings about it. Readings closer
 * together than the block is long (the last one of calm may be in its first milliseconds) stand for
 * all of it.
 * @param {Reading} from
 * @param {Reading} to
 * @param {'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs' | 'machineIdleMs'} counter
 * @param {number} durationMs
 */
function spent (from, to, counter, durationMs) {
  const { [counter]: start = null } = from
  const { [counter]: end = null } = to
  if (start === null || end === null || to.atMs <= from.atMs) return null
  return Math.min(durationMs, (end - start) * Math.max(1, durationMs / (to.atMs - from.atMs)))
}

/** @param {import('../../types').BlockRecord} record @param {import('../../explain/fold').Stack[]} stacks all of the block */
function packageAtFault ({ cause, profile }, stacks) {
  const folder = causes[cause].excuse === undefined ? folderAtFault(stacks, profile) : null
  return folder === null ? null : packageIn(folder)
}

/** @param {number | null} ms */
function round (ms) {
  return ms === null ? null : roundMs(ms)
}

/** @param {number[]} values */
function median (values) {
  return values.length === 0 ? null : [...values].sort((a, b) => a - b)[values.length >> 1]
}

exports.Incident = Incident
