'use strict'

const { BroadcastChannel } = require('node:worker_threads')
const { nowMs } = require('../../util/clock')
const { CHANNEL, THREAD_STARTED, THREAD_ENDED } = require('../../bridge/messages')
const { ThreadInquiry } = require('./inspection')
const { ThreadTotals } = require('./totals')
const { WorkerThread } = require('./worker')

/** A look at calm threads may come this much late, and so with another. */
const COALESCE_MS = 50
/** So many that have ended are remembered; numbers are never given again. */
const GONE = 1000
/** A thread is not taken apart for so long: one that was busy for it until its end was blocked. */
const APART_MS = 1000
/** Names under which the main thread's records and the watchdog's metrics go. */
const TAKEN = ['main', 'watchdog']

/** The worker threads of the application: finds them, watches them, adds them up. */
class WorkerThreads {
  #parts
  #inquiry
  #channel
  /** Started by the main thread, which has too many to look at. @type {Set<number>} */
  #unseen = new Set()
  #totals = new ThreadTotals()
  /** @type {Map<number, WorkerThread>} */
  #threads = new Map()
  /** The latest that have ended: what a thread said of itself comes by another way, and may come after its end. @type {Set<number>} */
  #gone = new Set()
  /** Who started those that living worker threads have: they end with it, and nobody tells. @type {Map<number, number>} */
  #starters = new Map()

  /**
   * @param {object} parts
   * @param {number} parts.ownId thread id of the watchdog
   * @param {boolean} parts.isAsked whether they are asked by their inspectors, or watched as they say themselves and as they are seen from outside
   * @param {import('./worker').Hello[]} parts.known that are looked at from outside already
   * @param {import('../../bridge/memory').Bridge} parts.bridge of the main thread
   * @param {{ threshold: number, resolution: number, sample: number, calmPeriod: number }} parts.options
   * @param {(name: string) => string} parts.labelOf bounds the label of a name
   * @param {Pick<import('../kernel/main-thread').Kernel, 'throttling' | 'machineSteal'>} parts.kernel of the process
   * @param {(startMs: number, endMs: number) => number} parts.watchdogGapWithin
   * @param {import('../../explain/frame-table').FrameTable} parts.frames
   * @param {() => string} parts.nextId
   * @param {() => void} parts.onNew a thread is watched from now on
   * @param {(excess: { message: string } | null) => void} parts.onState
   * @param {import('./sinks').ThreadReports} parts.reports
   */
  constructor (parts) {
    this.#parts = parts
    this.#inquiry = parts.isAsked ? new ThreadInquiry(parts) : null
    this.#channel = new BroadcastChannel(CHANNEL)
    this.#channel.onmessage = (/** @type {any} */ { data }) => this.#hear(data)
    for (const hello of parts.known) this.#watch(hello, true)
  }

  /** @param {number} threadId @param {number} [by] the worker thread that started it; without, the main thread has */
  started (threadId, by) {
    if (threadId === this.#parts.ownId) return
    if (by !== undefined && this.#gone.has(by)) {
      this.ended(threadId)
      return
    }
    if (by !== undefined) this.#starters.set(threadId, by)
    this.#inquiry?.started(threadId)
  }

  /** One that the main thread looks at from outside, or would if there were fewer. @param {{ threadId: number }} message */
  begun (message) {
    const { threadId } = message
    const isUnseen = this.#inquiry === null && !isHello(message)
    if (isUnseen) this.#unseen.add(threadId)
    else this.#unseen.delete(threadId)
    if (isHello(message)) this.#watch(message, true)
    else this.started(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    this.#gone.add(threadId)
    if (this.#gone.size > GONE) this.#gone.delete(/** @type {number} */ (this.#gone.values().next().value))
    this.#inquiry?.ended(threadId)
    this.#unseen.delete(threadId)
    const thread = this.#threads.get(threadId)
    if (thread !== undefined) this.#end(thread)
    this.#starters.delete(threadId)
    for (const [started, by] of this.#starters) if (by === threadId) this.ended(started)
  }

  /** @param {any} hello from whoever speaks on the channel */
  #hear (hello) {
    if (Array.isArray(hello?.living)) this.#inquiry?.listed(hello.living)
    // From a worker thread that starts others.
    if (hello?.code === THREAD_STARTED && Number.isInteger(hello.threadId)) this.started(hello.threadId, hello.by)
    if (hello?.code === THREAD_ENDED && Number.isInteger(hello.threadId)) this.ended(hello.threadId)
    if (isHello(hello)) this.#watch(hello, false)
  }

  /** @param {import('./worker').Hello} hello @param {boolean} isOutside said by the main thread, of what it sees */
  #watch (hello, isOutside) {
    const { threadId, name, tid } = hello
    this.#inquiry?.found(threadId)
    const known = this.#threads.get(threadId)
    if (this.#gone.has(threadId) || threadId === this.#parts.ownId || (known !== undefined && (isOutside || !known.isOutside))) return
    // It tells better itself. Its times go on from where they were, so they are not added up.
    known?.stop(tid === null)
    const own = TAKEN.includes(name) ? `${name} (worker)` : name
    const { options, frames, nextId, reports, kernel, watchdogGapWithin, labelOf } = this.#parts
    this.#threads.set(threadId, new WorkerThread({
      hello: { ...hello, name: own },
      label: labelOf(own),
      kernel,
      watchdogGapWithin,
      isOutside,
      isAsked: this.#inquiry !== null,
      outside: known,
      common: {
        options: { ...options, stuck: 0 },
        ask: () => this.#inquiry?.ask(threadId) ?? false,
        isHeldUp: () => this.#inquiry?.isHeldUp ?? false,
        frames,
        nextId,
        reports: {
          opened: (record) => reports.opened(record),
          lasting: (record) => reports.lasting(record),
          stuck: () => {},
          ended: (record) => reports.ended(record),
          settled: (record) => this.#settle(threadId, record)
        }
      }
    }))
    this.#parts.onNew()
  }

  /**
   * A thread that says nothing while it ends is being taken apart; one asleep that let go before it
   * could be asked was waiting, more likely than not, for work, and so was each where none is asked.
   * @param {number} threadId
   * @param {import('../../types').BlockRecord} record
   */
  #settle (threadId, record) {
    const { reports } = this.#parts
    const isLast = this.#threads.get(threadId)?.isEnded !== false && (this.#inquiry !== null || record.durationMs < APART_MS)
    const isBlameless = record.samples === 0 && (record.cause === 'sync-io' || isLast)
    if (isBlameless) reports.dropped(record)
    else reports.settled(record)
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
   * @returns {number} when to look again at the latest
   */
  look (now, selfLate) {
    let next = Infinity
    this.#inquiry?.open(now)
    if (this.#inquiry === null) this.#parts.onState(this.#unseen.size === 0 ? null : { message: `${this.#unseen.size} more than are looked at from outside` })
    for (const thread of this.#threads.values()) {
      const { wakeAtMs, eventful } = thread.look(now, selfLate)
      // The kernel knows, or the thread itself, where nobody else tells.
      if (thread.isEnded) this.ended(thread.threadId)
      else next = Math.min(next, wakeAtMs + (eventful ? 0 : COALESCE_MS))
    }
    this.#inquiry?.close(now)
    return next
  }

  /** The records of blocks in progress. */
  get ongoing () {
    return [...this.#threads.values()].flatMap(({ ongoing }) => ongoing ?? [])
  }

  /** By label. */
  states () {
    const now = nowMs()
    return this.#totals.sum([...this.#threads.values()].map((thread) => ({ label: thread.label, state: thread.state(now) })))
  }

  /** How many late beats found their ring full since the last call. */
  takeDropped () {
    return [...this.#threads.values()].reduce((sum, thread) => sum + thread.takeDropped(), 0)
  }

  /** Lets go of every thread; blocks in progress are recorded as far as they came. */
  stop () {
    this.#inquiry?.stop()
    this.#channel.close()
    for (const thread of [...this.#threads.values()]) this.#end(thread)
  }
}

/** @param {any} message @returns {message is import('./worker').Hello} */
function isHello (message) {
  return message?.memory instanceof SharedArrayBuffer && Number.isInteger(message.threadId) && typeof message.name === 'string'
}

exports.WorkerThreads = WorkerThreads
