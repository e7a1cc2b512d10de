'use strict'

const { BroadcastChannel, threadId: watchdogId } = require('node:worker_threads')
const { nowMs } = require('../../util/clock')
const { hasOurLayout } = require('../../bridge/memory')
const { CHANNEL, THREAD_STARTED, THREAD_ENDED } = require('../../bridge/messages')
const { Inspection } = require('./inspection')
const { Totals } = require('./totals')
const { WorkerThread } = require('./worker')

/** A poll of calm threads may come this much late, and so together with another. */
const COALESCE_MS = 50
/** The latest threads that have ended, or are left alone, are remembered. Node.js never gives a number again. */
const GONE = 1000
/** Taking a thread apart takes less than this: one that was busy for longer until its end was blocked. */
const APART_MS = 1000
/** Names under which the main thread's records and the watchdog's metrics go. */
const TAKEN = ['main', 'watchdog']

/**
 * @typedef {object} Started what takes part from start() on
 * @property {{ threadId: number }[]} known threads that there are already; those that are seen have their hello
 * @property {(name: string) => string} labelOf bounds the label of a name
 * @property {import('../sinks').WorkerPhases} sinks hear the phases of their blocks
 */

/** @typedef {import('../loop/block-builder').ThreadWork} ThreadWork */

/** The worker threads of the application: finds them, watches them, adds them up. */
class WorkerThreads {
  #parts
  #inspection
  /** @type {Started | null} */
  #started = null
  /** @type {BroadcastChannel | null} */
  #channel = null
  /** Started by the main thread, which has too many to see. @type {Set<number>} */
  #unseen = new Set()
  #totals = new Totals()
  /** @type {Map<number, WorkerThread>} */
  #threads = new Map()
  /**
   * The latest that have ended. What a thread said of itself comes by another way, perhaps after its end.
   * @type {Set<number>}
   */
  #gone = new Set()
  /** Watched by another version of this package. @type {Set<number>} */
  #foreign = new Set()
  /** What all of a thread is for, where a library has told. @type {Map<number, ThreadWork>} */
  #works = new Map()
  /** By the worker threads they started: these end with their starter, and nobody tells. @type {Map<number, number>} */
  #starters = new Map()

  /**
   * @param {object} parts
   * @param {number} parts.ownId thread id of the watchdog
   * @param {boolean} parts.isAsked whether they are asked by their inspectors, or watched as they say themselves and as
   * they are seen from outside
   * @param {import('../../bridge/memory').Bridge} parts.bridge of the main thread
   * @param {{ threshold: number, resolution: number, sample: number, calmPeriod: number }} parts.options
   * @param {import('../kernel/thread-stats').Shared} parts.shared by all threads
   * @param {(startMs: number, endMs: number) => number} parts.watchdogGapWithin
   * @param {import('../../explain/frame-table').FrameTable} parts.frames
   * @param {() => string} parts.nextId
   * @param {() => void} parts.onNew a thread is watched from now on
   * @param {(excess: { message: string } | null) => void} parts.onState
   * @param {import('../health').Say} parts.say in the log
   */
  constructor (parts) {
    this.#parts = parts
    this.#inspection = parts.isAsked ? new Inspection(parts) : null
  }

  /** From now on threads are watched. @param {Started} started */
  start (started) {
    this.#started = started
    this.#channel = new BroadcastChannel(CHANNEL)
    this.#channel.onmessage = (/** @type {any} */ { data }) => this.#hear(data)
    for (const thread of started.known) this.begun(thread)
  }

  /** @param {number} threadId @param {number} [by] the worker thread that started it; without, the main thread has */
  started (threadId, by) {
    if (threadId === this.#parts.ownId) return
    if (by !== undefined && this.#gone.has(by)) {
      this.ended(threadId)
      return
    }
    if (by !== undefined) this.#starters.set(threadId, by)
    this.#inspection?.started(threadId)
  }

  /**
   * A thread that the main thread sees from outside, or would if there were fewer.
   * @param {{ threadId: number }} message
   */
  begun (message) {
    const { threadId } = message
    const isUnseen = this.#inspection === null && !isHello(message)
    if (isUnseen) this.#unseen.add(threadId)
    else this.#unseen.delete(threadId)
    if (isHello(message)) this.#watch(message, true)
    else this.started(threadId)
  }

  /** All that a thread does is one piece of work. @param {number} threadId @param {ThreadWork} work */
  works (threadId, work) {
    this.#works.set(threadId, work)
  }

  /** @param {number} threadId */
  ended (threadId) {
    remember(this.#gone, threadId)
    this.#inspection?.ended(threadId)
    this.#unseen.delete(threadId)
    this.#foreign.delete(threadId)
    const thread = this.#threads.get(threadId)
    if (thread !== undefined) this.#end(thread)
    this.#starters.delete(threadId)
    this.#works.delete(threadId)
    for (const [started, by] of this.#starters) if (by === threadId) this.ended(started)
  }

  /** @param {any} hello from whoever speaks on the channel */
  #hear (hello) {
    if (Array.isArray(hello?.living)) this.#inspection?.listed(hello.living)
    // From a worker thread that starts others.
    if (hello?.code === THREAD_STARTED && Number.isInteger(hello.threadId)) this.started(hello.threadId, hello.by)
    if (hello?.code === THREAD_ENDED && Number.isInteger(hello.threadId)) this.ended(hello.threadId)
    if (isHello(hello)) this.#watch(hello, false)
  }

  /** @param {import('./worker').Hello} hello @param {boolean} isOutside said by the main thread, of what it sees */
  #watch (hello, isOutside) {
    const { threadId, tid } = hello
    this.#inspection?.found(threadId)
    const known = this.#threads.get(threadId)
    if (this.#gone.has(threadId) || threadId === this.#parts.ownId) return
    if (known !== undefined && (isOutside || !known.isOutside)) return
    if (!hasOurLayout(hello.memory)) return this.#leave(hello)
    // The thread itself tells better. Its times go on from where they were, so they are not added up.
    known?.stop(tid === null)
    this.#threads.set(threadId, this.#makeThread(hello, isOutside, known))
    this.#parts.onNew()
  }

  /**
   * Leaves a thread alone whose own copy of this package is of another version: what it writes would be misread. It
   * announces itself again and again, as nobody answers.
   * @param {import('./worker').Hello} hello
   */
  #leave ({ threadId, name }) {
    if (this.#foreign.has(threadId)) return
    remember(this.#foreign, threadId)
    const message = `worker thread ${threadId} (${name}) has another version of loopwatch: it is not watched from within`
    this.#parts.say('warn', { event: 'other_version', thread: name, threadId }, message)
  }

  /** @param {import('./worker').Hello} hello @param {boolean} isOutside @param {WorkerThread} [outside] */
  #makeThread (hello, isOutside, outside) {
    const { threadId, name } = hello
    const own = TAKEN.includes(name) ? `${name} (worker)` : name
    const { options, frames, nextId, shared, watchdogGapWithin } = this.#parts
    const { labelOf, sinks } = /** @type {Started} */ (this.#started)
    return new WorkerThread({
      hello: { ...hello, name: own },
      label: labelOf(own),
      shared,
      watchdogGapWithin,
      workOf: () => this.#works.get(threadId) ?? null,
      isOutside,
      isAsked: this.#inspection !== null,
      outside,
      sinks: { ...sinks, settled: (record, endMs) => this.#settle(threadId, record, endMs) },
      common: {
        options: { ...options, stuck: 0 },
        ask: () => this.#inspection?.ask(threadId) ?? false,
        isHeldUp: () => this.#inspection?.isHeldUp ?? false,
        frames,
        nextId
      }
    })
  }

  /**
   * Not every beat of a worker thread that failed to come was a block. A thread that says nothing while it ends is
   * being taken apart. One asleep that let go before it could be asked was waiting for work, more likely than not, and
   * so was each where none is asked.
   * @param {number} threadId
   * @param {import('../../types').BlockRecord} record
   * @param {number} endMs
   */
  #settle (threadId, record, endMs) {
    const { sinks } = /** @type {Started} */ (this.#started)
    const isEnded = this.#threads.get(threadId)?.isEnded !== false
    const isLast = isEnded && (this.#inspection !== null || record.durationMs < APART_MS)
    const isBlameless = record.samples === 0 && (record.cause === 'sync-io' || isLast)
    if (isBlameless) sinks.withdrawn(record)
    else sinks.settled(record, endMs)
  }

  /** @param {WorkerThread} thread */
  #end (thread) {
    this.#totals.end(thread.label, thread.state(nowMs()))
    thread.stop()
    this.#threads.delete(thread.threadId)
  }

  /**
   * @param {number} now
   * @param {boolean} selfLate
   * @returns {number} when to poll again at the latest
   */
  poll (now, selfLate) {
    let next = Infinity
    this.#inspection?.open(now)
    if (this.#inspection === null) this.#parts.onState(this.#excess)
    for (const thread of this.#threads.values()) {
      const { wakeAtMs, eventful } = thread.poll(now, selfLate)
      // The kernel knows, or the thread itself, where nobody else tells.
      if (thread.isEnded) this.ended(thread.threadId)
      else next = Math.min(next, wakeAtMs + (eventful ? 0 : COALESCE_MS))
    }
    this.#inspection?.close(now)
    return next
  }

  get #excess () {
    const { size } = this.#unseen
    return size === 0 ? null : { message: `${size} more than are looked at from outside` }
  }

  /** The records of blocks in progress. */
  get ongoing () {
    return [...this.#threads.values()].flatMap(({ ongoing }) => ongoing ?? [])
  }

  /** By label. */
  states () {
    const now = nowMs()
    const living = [...this.#threads.values()].map((thread) => ({ label: thread.label, state: thread.state(now) }))
    return this.#totals.sum(living)
  }

  /** How many late beats found their ring full since the last call. */
  takeDropped () {
    return [...this.#threads.values()].reduce((sum, thread) => sum + thread.takeDropped(), 0)
  }

  /** Lets go of every thread; blocks in progress are recorded as far as they came. */
  stop () {
    this.#inspection?.stop()
    this.#channel?.close()
    for (const thread of [...this.#threads.values()]) this.#end(thread)
  }
}

/** Adds one to the latest. @param {Set<number>} threadIds @param {number} threadId */
function remember (threadIds, threadId) {
  threadIds.add(threadId)
  if (threadIds.size > GONE) threadIds.delete(/** @type {number} */ (threadIds.values().next().value))
}

/** @param {any} message @returns {message is import('./worker').Hello} */
function isHello (message) {
  const { memory, threadId, name } = message ?? {}
  return memory instanceof SharedArrayBuffer && Number.isInteger(threadId) && typeof name === 'string'
}

/**
 * The application's worker threads, null where they are not to be watched, or may not be asked.
 * @param {import('../main-loop').Seen & { mainLoop: import('../main-loop').MainLoop }} parts
 */
function makeThreads ({ data: { options, mayInspect }, bridge, health, stats, scheduler, mainLoop, nextId }) {
  const isAsked = options.threads === 'on'
  if (options.threads === 'off' || (isAsked && !mayInspect)) return null
  return new WorkerThreads({
    isAsked,
    options,
    ownId: watchdogId,
    bridge,
    shared: stats.shared,
    watchdogGapWithin: (startMs, endMs) => scheduler.lateness.within(startMs, endMs),
    frames: mainLoop.frames,
    nextId,
    onNew: () => scheduler.hurry(),
    onState: health.listener('threads'),
    say: health.say
  })
}

exports.WorkerThreads = WorkerThreads
exports.makeThreads = makeThreads
