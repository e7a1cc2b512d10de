'use strict'

const { openBridge } = require('../../bridge/memory')
const { CALM_MS } = require('../../bridge/thread-beats')
const { SleepDetector } = require('./sleep-detector')
const { gcShareOf } = require('../../explain/profile/samples')
const { ThreadStats } = require('../kernel/thread-stats')
const { overlapMs } = require('../loop/self-lateness')
const { AWAIT_MS } = require('../profile/profiling')
const { LoopMonitor } = require('../loop/monitor')
const { Sampler } = require('../loop/sampler')
const { ProfileWindows } = require('../profile/profile-windows')
const { causeRow, ownCauseOf } = require('../../tables/causes')

/**
 * @import { ThreadWork } from '../../explain/record'
 * @import { Shared } from '../kernel/thread-stats'
 * @import { Explainer } from '../loop/explainer'
 * @import { SelfLateness } from '../loop/self-lateness'
 * @import { Phases, ThreadPhases } from '../sinks'
 * @import { SourceReader } from '../source/source-reader'
 * @import { Profiled } from './thread-profiling'
 * @import { ThreadOptions } from './threads'
 * @import { ThreadState } from './totals'
 */

/** A thread that was found waiting is polled this often: what it does next may be a block. */
const WAITING_MS = 25
/** Node.js 20 to 26 ends a thread in 1 to 10 ms, in up to 200 with a large heap: one busy for longer was blocked. */
const APART_MS = 250
/** A block this long is profiled even if it is its thread's first. */
const LONG_MS = 1000

/**
 * @typedef {object} Hello report of lib/host/threads/preload-beat.js on its thread, or of outside-watch.js on another
 * @property {SharedArrayBuffer} memory @property {number} threadId
 * @property {string} name @property {number | null} tid in the kernel, null if unknown
 */

class WatchedThread {
  #bridge
  #stats
  #idleness
  #monitor
  #sinks
  #dueAtMs = 0
  #lastPollMs = 0
  #isStopped = false
  /** @type {string | null} the block in which the thread ended */
  #lastId = null
  /** @type {{ activeMs: number, idleMs: number }} counters never go backwards */
  #time = { activeMs: 0, idleMs: 0 }
  #cpu = { user: 0, system: 0 }
  #windows
  #mayBeProfiled
  #hasBlocked = false
  /** Time in which it did not answer the last question for a profile: it was in a native call. */
  #silent = { startMs: 0, endMs: 0 }
  questionAtMs = -Infinity
  owesProfile = false

  /**
   * @param {object} parts @param {Hello} parts.hello @param {string} parts.label of its metrics
   * @param {Shared} parts.shared by all threads @param {ThreadPhases} parts.sinks @param {ThreadOptions} parts.options
   * @param {SelfLateness} parts.lateness @param {SourceReader} parts.sources
   * @param {Explainer} parts.explainer @param {() => string} parts.nextId
   * @param {() => ThreadWork | null} parts.workOf the work of the whole thread
   * @param {boolean} parts.isOutside only the main thread sees it
   * @param {WatchedThread} [parts.outside] the same thread as seen from outside, which knows its CPU time
   */
  constructor ({
    hello, label, shared, sinks, options, lateness, sources, explainer, nextId, workOf, isOutside, outside
  }) {
    const { name: thread, threadId, memory, tid } = hello
    this.threadId = threadId
    this.label = label
    this.isOutside = isOutside
    this.#mayBeProfiled = options.profile !== 'off'
    this.#sinks = { ...sinks, settled: this.#settleIn(sinks) }
    const windows = this.#windows = new ProfileWindows(sources, { isBegunLate: true })
    const bridge = this.#bridge = openBridge(memory)
    bridge.counters.add('heard', 1)
    const stats = this.#stats = new ThreadStats(shared, tid, (outside ? outside.#bridge : bridge).counters)
    const idleness = this.#idleness = new SleepDetector(options.threshold, (now) => stats.rest(now))
    this.#monitor = new LoopMonitor({
      owner: { thread, threadId },
      bridge,
      options: { ...options, stuck: 0 },
      sampler: new Sampler({ channel: bridge.answer, ask: () => false }),
      stats,
      adjust: (pollReading) => idleness.adjust(pollReading),
      explainer,
      isAwaited: (endMs, now) => this.owesProfile && this.questionAtMs < endMs && now - endMs < AWAIT_MS,
      surroundings: {
        // Collections of a thread are only seen by samples.
        gcPauses: {
          within: (startMs, endMs) => gcShareOf(windows.within(startMs, endMs)) * windows.coveredMs(startMs, endMs)
        },
        lateness,
        windows,
        silence: { within: (startMs, endMs) => overlapMs([this.#silent], startMs, endMs) },
        workOf
      },
      code: windows.code,
      nextId
    })
  }

  /**
   * A missing beat may be no block: a thread that sleeps mostly waits for work, and one that ends is taken apart.
   * @param {ThreadPhases} sinks @returns {Phases['settled']}
   */
  #settleIn = (sinks) => (record, endMs) => {
    const isLast = record.id === this.#lastId
    this.#hasBlocked ||= !record.startup
    if (causeRow(ownCauseOf(record)).isAsleep || (isLast && record.durationMs < APART_MS)) sinks.withdrawn(record)
    else sinks.settled(isLast ? { ...record, uncertaintyMs: record.uncertaintyMs + APART_MS } : record, endMs)
  }

  get isEnded () {
    return this.#isStopped || this.#stats.isGone || this.#bridge.counters.get('ended') > 0
  }

  get ongoing () {
    return this.#monitor.ongoing
  }

  /** @param {number} now @param {boolean} selfLate */
  poll (now, selfLate) {
    if (now < this.#dueAtMs) return { wakeAtMs: this.#dueAtMs, eventful: false }
    this.#stats.read(now)
    if (this.isEnded) return { wakeAtMs: Infinity, eventful: false }
    // The thread is seen from outside, and has not worked yet.
    if (this.#bridge.beat.beats === 0) return { wakeAtMs: now + CALM_MS, eventful: false }
    const { wakeAtMs, eventful } = this.#monitor.poll(now, selfLate, this.#sinks)
    this.#lastPollMs = now
    // At any time the main thread may report that a thread it sees from outside is busy.
    this.#dueAtMs = Math.min(wakeAtMs, now + (this.#idleness.isOn ? WAITING_MS : CALM_MS))
    return { wakeAtMs: this.#dueAtMs, eventful }
  }

  /** @param {number} now */
  wantsProfile (now) {
    const { block } = this.#monitor
    if (!this.#mayBeProfiled || this.owesProfile || block === null) return false
    return this.#hasBlocked || now - block.startMs >= LONG_MS
  }

  /** @param {Parameters<Profiled['profiled']>[0]} taken null if the thread cannot be profiled */
  profiled (taken) {
    this.owesProfile = false
    this.#mayBeProfiled = taken !== null
    if (taken === null) return
    this.#silent = { startMs: taken.questionAtMs, endMs: taken.startMs }
    this.#windows.keep(taken)
  }

  takeDropped () {
    return this.#bridge.lateBeats.takeDropped()
  }

  /** @param {number} now @returns {ThreadState} */
  state (now) {
    const real = this.#bridge.beat.read()
    const beat = this.#idleness.beat(real)
    const { waitedMs } = this.#idleness
    const inProgressMs = this.#monitor.blockedMs
    const blockedMs = beat === real ? inProgressMs : Math.max(0, now - real.atMs)
    this.#time = {
      activeMs: Math.max(this.#time.activeMs, real.activeMs + blockedMs - waitedMs),
      idleMs: Math.max(this.#time.idleMs, real.idleMs + waitedMs)
    }
    this.#cpu = this.#stats.cpuSeconds() ?? this.#cpu
    return { ...this.#time, heartbeatAgeMs: beat.beats === 0 ? 0 : now - beat.atMs, inProgressMs, cpu: this.#cpu }
  }

  /**
   * Stops; a block in progress is recorded as far as it was seen.
   * @param {object} how @param {boolean} [how.isNeeded] the host's part goes on @param {boolean} [how.isGone] it ended
   */
  stop ({ isNeeded = false, isGone = false }) {
    this.#isStopped = true
    if (!isNeeded) this.#bridge.counters.add('released', 1)
    const { beats, atMs } = this.#bridge.beat.read()
    const lastMs = Math.max(this.#lastPollMs, atMs)
    // Reads what the thread has written since the last poll.
    if (beats > 0) this.#monitor.poll(lastMs, true, this.#sinks)
    if (isGone) this.#lastId = this.#monitor.ongoing?.id ?? null
    this.#monitor.stop(lastMs, this.#sinks)
    this.#stats.close()
  }
}

exports.WatchedThread = WatchedThread
