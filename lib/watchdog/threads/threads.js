'use strict'

const { BroadcastChannel } = require('node:worker_threads')
const { nowMs } = require('../../util/clock')
const { hasOurLayout } = require('../../bridge/memory')
const { CHANNEL } = require('../../bridge/messages')
const { Totals } = require('./totals')
const { WatchedThread } = require('./thread')

/** A poll of calm threads may come this much late, and so together with another. */
const COALESCE_MS = 50
/** The latest threads that have ended, or are left alone, are remembered. Node.js never gives a number again. */
const GONE = 1000
/** Names under which the main thread's records and the watchdog's metrics go. */
const TAKEN = ['main', 'watchdog']

/**
 * @typedef {object} Started what takes part from start() on
 * @property {{ threadId: number }[]} known threads that there are already; those that are seen have their hello
 * @property {(name: string) => string} labelOf bounds the label of a name
 * @property {import('../sinks').ThreadPhases} sinks hear the phases of their blocks
 */

/** @typedef {import('../loop/block-builder').ThreadWork} ThreadWork */

/** The worker threads of the application: finds them, watches them, adds them up. */
class WatchedThreads {
  #parts
  /** @type {Started | null} */
  #started = null
  /** @type {BroadcastChannel | null} */
  #channel = null
  /** Started by the main thread, which has too many to see. @type {Set<number>} */
  #unseen = new Set()
  #totals = new Totals()
  /** @type {Map<number, WatchedThread>} */
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

  /**
   * @param {object} parts
   * @param {{ threshold: number, beatPeriod: number }} parts.options
   * @param {import('../kernel/thread-stats').Shared} parts.shared by all threads
   * @param {(startMs: number, endMs: number) => number} parts.watchdogGapWithin
   * @param {import('../../explain/source/frame-table').FrameTable} parts.frames
   * @param {() => string} parts.nextId
   * @param {() => void} parts.onNew a thread is watched from now on
   * @param {(excess: { message: string } | null) => void} parts.onState
   * @param {import('../health').Say} parts.say in the log
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** From now on threads are watched. @param {Started} started */
  start (started) {
    this.#started = started
    this.#channel = new BroadcastChannel(CHANNEL)
    this.#channel.onmessage = (/** @type {any} */ { data }) => this.#hear(data)
    for (const thread of started.known) this.begun(thread)
  }

  /**
   * A thread that the main thread sees from outside, or would if there were fewer.
   * @param {{ threadId: number }} message
   */
  begun (message) {
    if (!isHello(message)) {
      this.#unseen.add(message.threadId)
      return
    }
    this.#unseen.delete(message.threadId)
    this.#watch(message, true)
  }

  /** All that a thread does is one piece of work. @param {number} threadId @param {ThreadWork} work */
  works (threadId, work) {
    this.#works.set(threadId, work)
  }

  /** @param {number} threadId */
  ended (threadId) {
    remember(this.#gone, threadId)
    this.#unseen.delete(threadId)
    this.#foreign.delete(threadId)
    const thread = this.#threads.get(threadId)
    if (thread !== undefined) this.#end(thread, true)
    this.#works.delete(threadId)
  }

  /** @param {any} hello from whoever speaks on the channel */
  #hear (hello) {
    if (isHello(hello)) this.#watch(hello, false)
  }

  /** @param {import('./thread').Hello} hello @param {boolean} isOutside said by the main thread, of what it sees */
  #watch (hello, isOutside) {
    const { threadId, tid } = hello
    const known = this.#threads.get(threadId)
    if (this.#gone.has(threadId)) return
    if (known !== undefined && (isOutside || !known.isOutside)) return
    if (!hasOurLayout(hello.memory)) return this.#leave(hello)
    // The thread itself tells better. Its times go on from where they were, so they are not added up.
    known?.stop({ isNeeded: tid === null })
    this.#threads.set(threadId, this.#makeThread(hello, isOutside, known))
    this.#parts.onNew()
  }

  /**
   * Leaves a thread alone whose own copy of this package is of another version: what it writes would be misread. It
   * announces itself again and again, as nobody answers.
   * @param {import('./thread').Hello} hello
   */
  #leave ({ threadId, name }) {
    if (this.#foreign.has(threadId)) return
    remember(this.#foreign, threadId)
    const message = `worker thread ${threadId} (${name}) has another version of loopwatch: it is not watched from within`
    this.#parts.say('warn', { event: 'other_version', thread: name, threadId }, message)
  }

  /** @param {import('./thread').Hello} hello @param {boolean} isOutside @param {WatchedThread} [outside] */
  #makeThread (hello, isOutside, outside) {
    const { threadId, name } = hello
    const own = TAKEN.includes(name) ? `${name} (worker)` : name
    const { options, frames, nextId, shared, watchdogGapWithin } = this.#parts
    const { labelOf, sinks } = /** @type {Started} */ (this.#started)
    return new WatchedThread({
      hello: { ...hello, name: own },
      label: labelOf(own),
      shared,
      watchdogGapWithin,
      workOf: () => this.#works.get(threadId) ?? null,
      isOutside,
      outside,
      sinks,
      common: { options: { ...options, stuck: 0 }, frames, nextId }
    })
  }

  /** @param {WatchedThread} thread @param {boolean} isGone */
  #end (thread, isGone) {
    this.#totals.end(thread.label, thread.state(nowMs()))
    thread.stop({ isGone })
    this.#threads.delete(thread.threadId)
  }

  /**
   * @param {number} now
   * @param {boolean} selfLate
   * @returns {number} when to poll again at the latest
   */
  poll (now, selfLate) {
    let next = Infinity
    this.#parts.onState(this.#excess)
    for (const thread of this.#threads.values()) {
      const { wakeAtMs, eventful } = thread.poll(now, selfLate)
      // The kernel knows, or the thread itself, where nobody else tells.
      if (thread.isEnded) this.ended(thread.threadId)
      else next = Math.min(next, wakeAtMs + (eventful ? 0 : COALESCE_MS))
    }
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
    this.#channel?.close()
    for (const thread of [...this.#threads.values()]) this.#end(thread, false)
  }
}

/** Adds one to the latest. @param {Set<number>} threadIds @param {number} threadId */
function remember (threadIds, threadId) {
  threadIds.add(threadId)
  if (threadIds.size > GONE) threadIds.delete(/** @type {number} */ (threadIds.values().next().value))
}

/** @param {any} message @returns {message is import('./thread').Hello} */
function isHello (message) {
  const { memory, threadId, name } = message ?? {}
  return memory instanceof SharedArrayBuffer && Number.isInteger(threadId) && typeof name === 'string'
}

/**
 * The application's worker threads, null where they are not to be watched.
 * @param {import('../main-loop').Seen & { mainLoop: import('../main-loop').MainLoop }} parts
 */
function makeThreads ({ data: { options }, health, stats, scheduler, mainLoop, nextId }) {
  if (options.threads === 'off') return null
  return new WatchedThreads({
    options,
    shared: stats.shared,
    watchdogGapWithin: (startMs, endMs) => scheduler.lateness.within(startMs, endMs),
    frames: mainLoop.frames,
    nextId,
    onNew: () => scheduler.hurry(),
    onState: health.listener('threads'),
    say: health.say
  })
}

exports.WatchedThreads = WatchedThreads
exports.makeThreads = makeThreads
