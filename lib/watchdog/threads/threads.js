'use strict'

const { BroadcastChannel } = require('node:worker_threads')
const { BoundedMap } = require('../../util/bounded-map')
const { nowMs } = require('../../util/clock')
const { hasOurLayout } = require('../../bridge/memory')
const { CHANNEL } = require('../../bridge/messages')
const { Totals } = require('./totals')
const { ThreadProfiling } = require('./thread-profiling')

/**
 * @import { ThreadWork } from '../../explain/record'
 * @import { ResolvedOptions } from '../../options/table'
 * @import { Health } from '../health'
 * @import { Shared } from '../kernel/thread-stats'
 * @import { Explainer } from '../loop/explainer'
 * @import { SelfLateness } from '../loop/self-lateness'
 * @import { ThreadPhases } from '../sinks'
 * @import { SourceReader } from '../source/source-reader'
 * @import { Hello, WatchedThread } from './thread'
 */

/** A poll of calm threads may come this late, and so together with another poll. */
const COALESCE_MS = 50
/** The most threads that are remembered as ended or left alone. Node.js never reuses a thread's number. */
const GONE = 1000
/** The names of the main thread in records and of the watchdog in metrics. */
const TAKEN = ['main', 'watchdog']

/**
 * @typedef {Pick<ResolvedOptions, 'threshold' | 'beatPeriod' | 'profile'>} ThreadOptions
 * @typedef {object} Started what the threads need from start() on
 * @property {{ threadId: number }[]} threads that already run; those seen from outside have their hello
 * @property {(name: string) => string} labelOf the label of a name; there is a limit to their number
 * @property {ThreadPhases} sinks receive the phases of their blocks
 */

/** Finds the application's worker threads, monitors them and adds them up. */
class WatchedThreads {
  #parts
  #profiling
  /** @type {Started | null} */
  #started = null
  /** @type {BroadcastChannel | null} */
  #channel = null
  /** Threads that the main thread does not see from outside, as there are too many. @type {Set<number>} */
  #unseen = new Set()
  #totals = new Totals()
  /** @type {Map<number, WatchedThread>} */
  #threads = new Map()
  /** The latest that have ended: a thread's own hello may come after its end. @type {BoundedMap<true>} */
  #gone = new BoundedMap({ mostItems: GONE })
  /** Threads with another version of this package. @type {BoundedMap<true>} */
  #foreign = new BoundedMap({ mostItems: GONE })
  /** The work of whole threads, if a library has reported it. @type {Map<number, ThreadWork>} */
  #works = new Map()

  /**
   * @param {object} parts @param {ThreadOptions} parts.options @param {Shared} parts.shared by all threads
   * @param {SelfLateness} parts.lateness @param {SourceReader} parts.sources
   * @param {Explainer} parts.explainer @param {Pick<Health, 'say' | 'set'>} parts.health
   * @param {() => string} parts.nextId @param {(message: object) => void} parts.post to the host
   * @param {() => boolean} parts.isMainFree to take a profile @param {() => void} parts.onNew
   */
  constructor (parts) {
    this.#parts = parts
    this.#profiling = new ThreadProfiling(parts.post, parts.isMainFree)
  }

  /** Starts to monitor threads. @param {Started} started */
  start (started) {
    this.#started = started
    this.#channel = new BroadcastChannel(CHANNEL)
    // Any sender may be on the channel.
    this.#channel.onmessage = (/** @type {any} */ { data }) => { if (isHello(data)) this.#watch(data, false) }
    for (const thread of started.threads) this.begun(thread)
  }

  /** A thread that the main thread sees, or would see if there were fewer. @param {{ threadId: number }} message */
  begun (message) {
    if (!isHello(message)) {
      this.#unseen.add(message.threadId)
      return
    }
    this.#unseen.delete(message.threadId)
    this.#watch(message, true)
  }

  /** Everything that a thread does is one piece of work. @param {number} threadId @param {ThreadWork} work */
  works (threadId, work) {
    this.#works.set(threadId, work)
  }

  /** @param {number} threadId */
  ended (threadId) {
    this.#gone.set(threadId, true)
    this.#unseen.delete(threadId)
    this.#foreign.delete(threadId)
    const thread = this.#threads.get(threadId)
    if (thread !== undefined) this.#end(thread, true)
    this.#works.delete(threadId)
  }

  /** @param {Hello} hello @param {boolean} isOutside sent by the main thread */
  #watch (hello, isOutside) {
    const { threadId, tid, name } = hello
    const previous = this.#threads.get(threadId)
    if (this.#gone.get(threadId)) return
    if (previous !== undefined && (isOutside || !previous.isOutside)) return
    if (!hasOurLayout(hello.memory)) {
      // The memory of another version would be misread. Its hello keeps coming.
      if (this.#foreign.get(threadId)) return
      this.#foreign.set(threadId, true)
      const message =
        `worker thread ${threadId} (${name}) has another version of loopwatch: it is not watched from within`
      this.#parts.health.say('warn', { event: 'other_version', thread: name, threadId }, message)
      return
    }
    // The thread's own figures are better. Its times continue from those before, so they are not added up.
    previous?.stop({ isNeeded: tid === null })
    this.#threads.set(threadId, this.#makeThread(hello, isOutside, previous))
    this.#parts.onNew()
  }

  /** @param {Hello} hello @param {boolean} isOutside @param {WatchedThread} [outside] */
  #makeThread (hello, isOutside, outside) {
    const { threadId, name } = hello
    const own = TAKEN.includes(name) ? `${name} (worker)` : name
    const { options, shared, lateness, sources, explainer, nextId } = this.#parts
    const { labelOf, sinks } = /** @type {Started} */ (this.#started)
    // Loaded with the first thread.
    const { WatchedThread } = require('./thread')
    return new WatchedThread({
      hello: { ...hello, name: own },
      label: labelOf(own),
      shared,
      sinks,
      options,
      lateness,
      sources,
      explainer,
      nextId,
      workOf: () => this.#works.get(threadId) ?? null,
      isOutside,
      outside
    })
  }

  /** @param {{ threadId: number, taken: Parameters<ThreadProfiling['receive']>[1] }} message */
  profiled ({ threadId, taken }) {
    this.#profiling.receive(this.#threads.get(threadId), taken)
  }

  /** @param {WatchedThread} thread @param {boolean} isGone */
  #end (thread, isGone) {
    this.#totals.end(thread.label, thread.state(nowMs()))
    thread.stop({ isGone })
    this.#threads.delete(thread.threadId)
  }

  /** Returns when to poll again at the latest. @param {number} now @param {boolean} selfLate */
  poll (now, selfLate) {
    let next = Infinity
    const { size } = this.#unseen
    const excess = size === 0 ? null : { message: `${size} more than can be watched from outside` }
    this.#parts.health.set('threads', excess)
    for (const thread of this.#threads.values()) {
      const { wakeAtMs, eventful } = thread.poll(now, selfLate)
      // The kernel or the thread itself shows its end if the main thread does not report it.
      if (thread.isEnded) this.ended(thread.threadId)
      else next = Math.min(next, wakeAtMs + (eventful ? 0 : COALESCE_MS))
    }
    this.#profiling.poll(now, [...this.#threads.values()])
    return next
  }

  get ongoing () {
    return [...this.#threads.values()].flatMap(({ ongoing }) => ongoing ?? [])
  }

  states () {
    const now = nowMs()
    const living = [...this.#threads.values()].map((thread) => ({ label: thread.label, state: thread.state(now) }))
    return this.#totals.sum(living)
  }

  takeDropped () {
    return [...this.#threads.values()].reduce((sum, thread) => sum + thread.takeDropped(), 0)
  }

  /** Stops; blocks in progress are recorded as far as they have come. */
  stop () {
    this.#channel?.close()
    for (const thread of [...this.#threads.values()]) this.#end(thread, false)
  }
}

/** @param {any} message @returns {message is Hello} */
function isHello (message) {
  const { memory, threadId, name } = message ?? {}
  return memory instanceof SharedArrayBuffer && Number.isInteger(threadId) && typeof name === 'string'
}

exports.WatchedThreads = WatchedThreads
