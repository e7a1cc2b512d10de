'use strict'

const { openBridge } = require('../../bridge/memory')
const { CALM_MS } = require('../../bridge/worker-beats')
const { AtomicsWaitIdle, PERIOD_MS } = require('./atomics-wait-idle')
const { SleepDetector } = require('./sleep-detector')
const { ThreadStats } = require('../kernel/thread-stats')
const { LoopMonitor } = require('../loop/monitor')

/**
 * @typedef {object} Hello what lib/host/workers/thread-entry.js and preload-beat.js tell of their thread, and
 * outside-watch.js of others
 * @property {SharedArrayBuffer} memory
 * @property {number} threadId
 * @property {string} name
 * @property {number | null} tid in the kernel, null where it is not known
 */

/** One worker thread of the application under watch. */
class WorkerThread {
  #bridge
  #isAsked
  #stats
  /** Tells the thread's waiting from blocks. */
  #idleness
  #monitor
  #sinks
  #dueAtMs = 0
  #lastPollMs = 0
  #isStopped = false
  /** @type {{ activeMs: number, idleMs: number }} counters never go backwards */
  #time = { activeMs: 0, idleMs: 0 }
  #cpu = { user: 0, system: 0 }

  /**
   * @param {object} parts
   * @param {Hello} parts.hello
   * @param {string} parts.label of its metrics
   * @param {import('../kernel/thread-stats').Shared} parts.shared by all threads
   * @param {Pick<import('../loop/monitor').Parts, 'options' | 'ask' | 'isHeldUp' | 'frames' | 'nextId'>} parts.common
   * @param {(startMs: number, endMs: number) => number} parts.watchdogGapWithin
   * @param {() => import('../loop/block-builder').ThreadWork | null} parts.workOf what all of the thread is for
   * @param {import('../sinks').Phases} parts.sinks
   * @param {boolean} parts.isOutside the main thread sees what it does
   * @param {boolean} parts.isAsked whether it can be asked where it is
   * @param {WorkerThread} [parts.outside] the same as it is seen from outside, which knows its CPU time
   */
  constructor ({ hello, label, shared, common, watchdogGapWithin, workOf, sinks, isOutside, isAsked, outside }) {
    this.threadId = hello.threadId
    this.label = label
    this.isOutside = isOutside
    this.#isAsked = isAsked
    this.#sinks = sinks
    this.#bridge = openBridge(hello.memory)
    this.#bridge.counters.add('heard', 1)
    const stats = this.#stats = new ThreadStats(shared, hello.tid, (outside ? outside.#bridge : this.#bridge).counters)
    const idleness = this.#idleness = isAsked
      ? new AtomicsWaitIdle(() => stats.rest().sleeps)
      : new SleepDetector(common.options.threshold, () => stats.rest())
    this.#monitor = new LoopMonitor({
      ...common,
      thread: hello.name,
      threadId: hello.threadId,
      bridge: this.#bridge,
      adjust: (seen) => idleness.adjust(seen),
      stats,
      surroundings: {
        // Pauses of a worker thread's garbage collector are not observed (lib/host/workers/thread-entry.js): they
        // count as js.
        gcWithin: () => 0,
        watchdogGapWithin,
        workOf
      }
    })
  }

  /** Whether the thread exits or is no more: what it says last is no block. */
  get isEnded () {
    return this.#isStopped || this.#stats.isGone || this.#bridge.counters.get('ended') > 0
  }

  /** The record of the block in progress. */
  get ongoing () {
    return this.#monitor.ongoing
  }

  /**
   * @param {number} now
   * @param {boolean} selfLate
   * @returns {{ wakeAtMs: number, eventful: boolean }}
   */
  poll (now, selfLate) {
    if (now < this.#dueAtMs) return { wakeAtMs: this.#dueAtMs, eventful: false }
    this.#stats.read(now)
    if (this.isEnded) return { wakeAtMs: Infinity, eventful: false }
    // Seen from outside, and not yet at work.
    if (this.#bridge.beat.beats === 0) return { wakeAtMs: now + CALM_MS, eventful: false }
    const { wakeAtMs, eventful } = this.#monitor.poll(now, selfLate, this.#sinks)
    this.#lastPollMs = now
    this.#dueAtMs = Math.min(wakeAtMs, now + this.#maxPauseMs)
    return { wakeAtMs: this.#dueAtMs, eventful }
  }

  /** The most time until the next poll. */
  get #maxPauseMs () {
    if (this.#idleness.isOn) return PERIOD_MS / 2
    // The main thread may say at any time that a thread it sees from outside is busy.
    return this.#isAsked ? Infinity : CALM_MS
  }

  /** How many late beats found their ring full since the last call. */
  takeDropped () {
    return this.#bridge.lateBeats.takeDropped()
  }

  /** @param {number} now @returns {import('./totals').ThreadState} */
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
   * Ends watching; a block in progress is recorded as far as it was seen.
   * @param {boolean} [isNeeded] the host's part goes on
   */
  stop (isNeeded = false) {
    this.#isStopped = true
    if (!isNeeded) this.#bridge.counters.add('released', 1)
    this.#monitor.stop(this.#lastPollMs, this.#sinks)
    this.#stats.close()
  }
}

exports.WorkerThread = WorkerThread
