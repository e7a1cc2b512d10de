'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { readdirSync } = require('node:fs')
const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../util/clock')
const { lackOfProfileRoom } = require('../../util/room')
const { createMemory, openBridge } = require('../../bridge/memory')
const { THREAD_STARTED, THREAD_ENDED, THREAD_PROFILE } = require('../../bridge/messages')
const { CALM_MS, unwantBeats, wantBeats } = require('../../bridge/thread-beats')
const { profileThread } = require('../runtime')

/**
 * @import { ResolvedOptions } from '../../options/table'
 * @import { OutsideView } from './outside-view'
 */

const CHANNEL = 'worker_threads'
/** Most threads that are polled. A poll takes 4 us, so they take 0.3% of the main thread while all are idle. */
const MOST = 64
/** Interval of polls of a thread that does not wait for events, at first. */
const BUSY_MS = 20
/** Growth of the busy time that causes the next poll later on, at least as often as for a calm thread. */
const BUSY_SHARE = 0.1
/** Duration of a profile: 100 samples on Node.js 26, up to 500 on 22 and 24. */
const SAMPLED_MS = 500
/** A thread that takes longer than this to start its profile was in a native call, and so may be its end. */
const LATE_MS = 5000
/** The id of a Worker whose thread has ended. */
const ENDED_ID = -1

/**
 * @typedef {{ threadId: number, name: string, tid: number | null, createdAtMs: number, memory: SharedArrayBuffer |
 * null, view: OutsideView | null }} Thread
 */

/**
 * Polls the application's worker threads from the main thread via `worker.performance`: nothing runs in the threads,
 * and no inspector is used. The watchdog reads the results as if each thread had sent heartbeats.
 */
class OutsideWatch {
  /** @type {Map<import('node:worker_threads').Worker, Thread>} */
  #threads = new Map()
  #views = 0
  #thresholdMs
  #post
  #isOurs
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #tasks = listTasks()
  /** @type {Set<{ stop: () => Promise<string> }>} */
  #profiles = new Set()
  #isStopped = false

  /**
   * @param {{ threshold: number }} options ms @param {(message: object) => void} post to the watchdog
   * @param {() => boolean} isOurs whether the worker thread that begins at this moment is the watchdog's
   */
  constructor ({ threshold }, post, isOurs) {
    this.#thresholdMs = threshold
    this.#post = post
    this.#isOurs = isOurs
    diagnosticsChannel.subscribe(CHANNEL, this.#onWorker)
  }

  /** The channel publishes within `new Worker()`, when the thread has just begun. @param {any} message */
  #onWorker = ({ worker }) => {
    try {
      this.#begin(worker)
    } catch {
      // The thread is not watched, for example without memory. The application must not see the error.
    }
  }

  /** @param {any} worker */
  #begin (worker) {
    const former = this.#tasks
    this.#tasks = listTasks()
    if (this.#isOurs()) return
    // The newest has the highest number, except at the moment when numbers begin again.
    const tid = [...this.#tasks].filter((each) => !former.has(each)).reduce((most, each) => Math.max(most, each), 0)
    const thread = {
      threadId: worker.threadId,
      name: require('./announce').nameOf(worker.threadName),
      tid: tid === 0 ? null : tid,
      createdAtMs: nowMs(),
      memory: null,
      view: null
    }
    this.#threads.set(worker, thread)
    this.#timer ??= setTimeout(this.#look, BUSY_MS).unref()
    this.#startPolling(worker, thread)
  }

  /** @param {import('node:worker_threads').Worker} worker @param {Thread} thread */
  #startPolling (worker, thread) {
    const { threadId, name, tid, createdAtMs } = thread
    if (this.#views === MOST) return this.#post({ code: THREAD_STARTED, threadId })
    const memory = createMemory()
    const { cpuUsage } = /** @type {{ cpuUsage?: () => Promise<NodeJS.CpuUsage> }} */ (/** @type {unknown} */ (worker))
    thread.memory = memory
    const { OutsideView } = require('./outside-view')
    thread.view = new OutsideView({
      read: worker.performance.eventLoopUtilization,
      cpuUsage: tid === null && cpuUsage !== undefined ? () => cpuUsage.call(worker) : null,
      bridge: openBridge(memory),
      thresholdMs: this.#thresholdMs,
      createdAtMs
    })
    this.#views++
    this.#post({ code: THREAD_STARTED, threadId, memory, name, tid })
  }

  #look = () => {
    /** @type {number} */
    let waitMs = CALM_MS
    try {
      for (const [worker, thread] of this.#threads) {
        const busyMs = this.#lookAt(worker, thread)
        if (busyMs > 0) waitMs = Math.min(waitMs, Math.max(BUSY_MS, busyMs * BUSY_SHARE))
      }
    } catch {
      // The next poll tries again. The application must not see the error.
    }
    this.#timer = this.#threads.size === 0 ? undefined : setTimeout(this.#look, waitMs).unref()
  }

  /** @param {import('node:worker_threads').Worker} worker @param {Thread} thread @returns {number} ms of busy time */
  #lookAt (worker, thread) {
    if (worker.threadId === ENDED_ID) {
      this.#threads.delete(worker)
      if (thread.view !== null) this.#views--
      this.#post({ code: THREAD_ENDED, threadId: thread.threadId })
    } else if (thread.view === null) {
      if (this.#views < MOST) this.#startPolling(worker, thread)
    } else if (!thread.view.isDone) {
      return thread.view.look(nowMs())
    }
    return 0
  }

  /** Posts a CPU profile of a thread to the watchdog, or null without one. @param {number} threadId */
  async profile (threadId) {
    const worker = [...this.#threads.keys()].find((each) => each.threadId === threadId)
    // No profile: the thread has ended, or Node.js cannot profile it.
    const taken = worker === undefined ? null : await this.#takeProfile(worker).catch(() => null)
    if (!this.#isStopped) this.#post({ code: THREAD_PROFILE, threadId, taken })
  }

  /** A thread in a native call starts and stops after it. @param {import('node:worker_threads').Worker} worker */
  async #takeProfile (worker) {
    // V8 starts a thread for each profile, and aborts the process if it gets none.
    if (lackOfProfileRoom() !== null) return null
    const questionAtMs = nowMs()
    const profile = await profileThread(worker)
    const startMs = nowMs()
    this.#profiles.add(profile)
    try {
      if (!this.#isStopped && startMs - questionAtMs < LATE_MS) {
        await new Promise((resolve) => { setTimeout(resolve, SAMPLED_MS).unref() })
      }
      const text = await profile.stop()
      return typeof text === 'string' ? { questionAtMs, startMs, text } : null
    } finally {
      this.#profiles.delete(profile)
    }
  }

  /** Messages about all threads for a restarted watchdog, including those beyond MOST. */
  get hellos () {
    return [...this.#threads.values()].map(({ threadId, name, tid, memory }) => ({ threadId, name, tid, memory }))
  }

  stop () {
    diagnosticsChannel.unsubscribe(CHANNEL, this.#onWorker)
    clearTimeout(this.#timer)
    this.#threads.clear()
    this.#isStopped = true
    for (const profile of this.#profiles) profile.stop().catch(() => {})
  }
}

/** The ids of this process's threads; none except on Linux. */
function listTasks () {
  try {
    return new Set(readdirSync('/proc/self/task').map(Number))
  } catch {
    return new Set()
  }
}

/**
 * @param {ResolvedOptions} options @param {(message: object) => void} post to the watchdog
 * @param {() => boolean} isOurs whether the worker thread that begins at this moment is the watchdog's
 * @returns {{ hellos: () => OutsideWatch['hellos'], profile: (threadId: number) => void, stop: () => void }} `hellos`:
 * those that are polled from outside
 */
exports.startThreads = (options, post, isOurs) => {
  if (options.threads === 'off') return { hellos: () => [], profile: () => {}, stop: () => {} }
  wantBeats({ ...options, calmPeriod: Math.max(options.calmPeriod, CALM_MS) })
  const looks = new OutsideWatch(options, post, isOurs)
  return {
    hellos: () => looks.hellos,
    profile: (threadId) => { looks.profile(threadId).catch(() => {}) },
    stop: () => {
      looks.stop()
      unwantBeats()
    }
  }
}

exports.OutsideWatch = OutsideWatch
