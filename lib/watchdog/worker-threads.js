'use strict'

const { readdirSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { BroadcastChannel } = require('node:worker_threads')
const { nowMs } = require('../clock')
const { CHANNEL, THREAD_STARTED, THREAD_ENDED } = require('../bridge/messages')
const { findGate } = require('../bridge/thread-gate')
const { ThreadAsker } = require('./thread-asker')
const { ThreadCount } = require('./thread-count')
const { ThreadDiscovery } = require('./thread-discovery')
const { ThreadTotals } = require('./thread-totals')
const { WorkerThread } = require('./worker-thread')

/** An idle worker thread beats this often: eight of them wake a sleeping process 80 times a second. */
const CALM_MS = 100
/** A look at calm threads may come this much late, and so with another. */
const COALESCE_MS = 50
/** A process whose watchdog is started anew may have had thousands; the latest are most likely to live. */
const EARLIER = 1000
/** So many that have ended are remembered; numbers are never given again. */
const GONE = 1000
/** While there are too many threads their number is looked at again after this time. */
const RECOUNT_MS = 10000
/** Names under which the main thread's records and the watchdog's metrics go. */
const TAKEN = ['main', 'watchdog']

/** The worker threads of the application: finds them, watches them, adds them up. */
class WorkerThreads {
  #parts
  #asker
  #discovery
  #channel
  #count
  #countedAtMs = nowMs()
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
   * @param {import('../bridge/bridge').Bridge} parts.bridge of the main thread
   * @param {{ threshold: number, resolution: number, sample: number, calmPeriod: number }} parts.options
   * @param {(name: string) => string} parts.labelOf bounds the label of a name
   * @param {Pick<import('./kernel').Kernel, 'throttling' | 'machineSteal'>} parts.kernel of the process
   * @param {(startMs: number, endMs: number) => number} parts.watchdogGapWithin
   * @param {import('../explain/frame-table').FrameTable} parts.frames
   * @param {() => string} parts.nextId
   * @param {() => void} parts.onNew a thread is watched from now on
   * @param {(excess: { message: string } | null) => void} parts.onState
   * @param {import('./thread-reports').ThreadReports} parts.reports
   */
  constructor (parts) {
    this.#parts = parts
    const { threshold, resolution, calmPeriod } = parts.options
    const gate = findGate()
    this.#count = new ThreadCount({ cpus: availableParallelism(), before: parts.ownId - 1, tasks: countTasks })
    this.#asker = new ThreadAsker({
      mayAsk: () => this.#count.excess === null && (gate === null || gate.isQuiet(nowMs())),
      options: { threshold, resolution, calmPeriod: Math.max(calmPeriod, CALM_MS) },
      relays: () => parts.bridge.counters.get('relays'),
      relayMicros: () => parts.bridge.counters.get('relayMicros')
    })
    this.#discovery = new ThreadDiscovery({
      nowMs,
      install: (threadIds, isInterrupt) => this.#asker.install(threadIds, isInterrupt, nowMs())
    })
    this.#channel = new BroadcastChannel(CHANNEL)
    this.#channel.onmessage = (/** @type {any} */ { data }) => this.#hear(data)
    // Threads are numbered; those with a smaller number than ours may have been there before us.
    for (let threadId = Math.max(1, parts.ownId - EARLIER); threadId < parts.ownId; threadId++) this.#discovery.add(threadId)
  }

  /** @param {number} threadId @param {number} [by] the worker thread that started it; without, the main thread has */
  started (threadId, by) {
    if (threadId === this.#parts.ownId) return
    if (by !== undefined && this.#gone.has(by)) {
      this.ended(threadId)
      return
    }
    if (by !== undefined) this.#starters.set(threadId, by)
    this.#count.started(threadId)
    this.#discovery.add(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    this.#gone.add(threadId)
    if (this.#gone.size > GONE) this.#gone.delete(/** @type {number} */ (this.#gone.values().next().value))
    this.#count.ended(threadId)
    this.#discovery.remove(threadId)
    const thread = this.#threads.get(threadId)
    if (thread !== undefined) this.#end(thread)
    this.#starters.delete(threadId)
    for (const [started, by] of this.#starters) if (by === threadId) this.ended(started)
  }

  /** @param {any} hello from whoever speaks on the channel */
  #hear (hello) {
    if (Array.isArray(hello?.living)) this.#listed(hello.living)
    // From a worker thread that starts others.
    if (hello?.code === THREAD_STARTED && Number.isInteger(hello.threadId)) this.started(hello.threadId, hello.by)
    if (hello?.code === THREAD_ENDED && Number.isInteger(hello.threadId)) this.ended(hello.threadId)
    const { memory, threadId, name } = /** @type {import('./worker-thread').Hello} */ (hello ?? {})
    if (!(memory instanceof SharedArrayBuffer) || !Number.isInteger(threadId) || typeof name !== 'string') return
    this.#discovery.remove(threadId)
    if (this.#threads.has(threadId) || this.#gone.has(threadId)) return
    const own = TAKEN.includes(name) ? `${name} (worker)` : name
    const { options, frames, nextId, reports, kernel, watchdogGapWithin, labelOf } = this.#parts
    this.#threads.set(threadId, new WorkerThread({
      hello: { ...hello, name: own },
      label: labelOf(own),
      kernel,
      watchdogGapWithin,
      common: {
        options: { ...options, stuck: 0 },
        ask: () => this.#asker.ask(threadId),
        isHeldUp: () => this.#asker.isHeldUp,
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

  /** @param {number[]} living of the application, and this one */
  #listed (living) {
    this.#count.seen(living.filter((threadId) => threadId !== this.#parts.ownId))
    this.#discovery.retain(living)
  }

  /**
   * A thread that says nothing while it ends is being taken apart; one asleep that let go before it
   * could be asked was waiting, more likely than not, for work.
   * @param {number} threadId
   * @param {import('../store/record').BlockRecord} record
   */
  #settle (threadId, record) {
    const { reports } = this.#parts
    const isBlameless = record.samples === 0 && (record.cause === 'sync-io' || this.#threads.get(threadId)?.isEnded !== false)
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
    this.#judgeCount(now)
    this.#asker.open(now)
    for (const thread of this.#threads.values()) {
      const { wakeAtMs, eventful } = thread.look(now, selfLate)
      // The kernel knows, or the thread itself, where nobody else tells.
      if (thread.isEnded) this.ended(thread.threadId)
      else next = Math.min(next, wakeAtMs + (eventful ? 0 : COALESCE_MS))
    }
    this.#asker.close(now)
    return next
  }

  /** @param {number} now */
  #judgeCount (now) {
    if (this.#count.excess !== null && now - this.#countedAtMs >= RECOUNT_MS) {
      this.#countedAtMs = now
      this.#count.recount()
    }
    this.#parts.onState(this.#count.excess)
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
    this.#discovery.stop()
    this.#channel.close()
    for (const thread of [...this.#threads.values()]) this.#end(thread)
  }
}

/** Threads of this process, null elsewhere than on Linux. */
function countTasks () {
  try {
    return readdirSync('/proc/self/task').length
  } catch {
    return null
  }
}

exports.WorkerThreads = WorkerThreads
