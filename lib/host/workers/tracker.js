'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { nowMs } = require('../../util/clock')
const { THREAD_STARTED, THREAD_ENDED } = require('../../bridge/messages')

const CHANNEL = 'worker_threads'
/** What Node.js says for the idle time of a thread that has stopped: it is being taken apart. */
const STOPPED_MS = -1

/** The id of a Worker whose thread is no more. */
const ENDED_ID = -1

/**
 * The worker threads that this thread starts: the watchdog is told of each, and the exit lock of their
 * beginnings and ends. The channel speaks from within `new Worker()`, so the message is on its way
 * even where the loop is blocked right after.
 */
class WorkerTracker {
  /** @type {Map<import('node:worker_threads').Worker, number>} with the ids of their threads */
  #workers = new Map()
  #post
  #exitLock
  #isStopped = false

  /**
   * @param {(message: object) => void} post to the watchdog
   * @param {Pick<import('../../bridge/worker-exit-lock').WorkerExitLock, 'change'> | null} exitLock
   */
  constructor (post, exitLock) {
    this.#post = post
    this.#exitLock = exitLock
    diagnosticsChannel.subscribe(CHANNEL, this.#onWorker)
  }

  #change () {
    this.#exitLock?.change(nowMs())
  }

  /** @param {any} message */
  #onWorker = ({ worker }) => {
    const { threadId } = worker
    this.#change()
    this.#sweep()
    this.#workers.set(worker, threadId)
    this.#post({ code: THREAD_STARTED, threadId })
    this.#listen(worker)
  }

  /**
   * A pool that retires a worker removes all listeners of its end, ours too, lest its own start
   * another. That is a sign of the end by itself, since terminate() may follow at once; ours then come back.
   * @param {import('node:worker_threads').Worker} worker
   */
  #listen (worker) {
    /** @type {Record<string, (...args: any[]) => void>} */
    const listeners = {
      // terminate() waits for the end by a listener, which is how it can be seen from outside.
      newListener: (event) => { if (event === 'exit') this.#change() },
      exit: () => this.#end(worker),
      removeListener: (event, listener) => {
        if (listener !== listeners[event]) return
        this.#change()
        // Not at once: whoever removes all of them is still at it.
        Promise.resolve().then(listen)
      }
    }
    const names = Object.keys(listeners)
    const listen = () => {
      if (this.#isStopped || !this.#workers.has(worker)) return
      for (const name of names.toReversed()) worker.off(name, listeners[name])
      for (const name of names) worker.on(name, listeners[name])
    }
    listen()
  }

  /** @param {import('node:worker_threads').Worker} worker */
  #end (worker) {
    const threadId = this.#workers.get(worker)
    if (threadId === undefined) return
    this.#change()
    this.#workers.delete(worker)
    this.#post({ code: THREAD_ENDED, threadId })
  }

  /** Those whose end nobody could tell. */
  #sweep () {
    for (const worker of this.#workers.keys()) if (worker.threadId === ENDED_ID) this.#end(worker)
  }

  /** Whether one of them has stopped and may still be in the course of being taken apart. */
  hasStopping () {
    for (const { performance } of this.#workers.keys()) {
      if (performance.eventLoopUtilization().idle === STOPPED_MS) return true
    }
    return false
  }

  stop () {
    this.#isStopped = true
    diagnosticsChannel.unsubscribe(CHANNEL, this.#onWorker)
  }
}

exports.WorkerTracker = WorkerTracker
