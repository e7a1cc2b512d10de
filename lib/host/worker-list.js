'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { nowMs } = require('../clock')
const { THREAD_STARTED, THREAD_ENDED } = require('../bridge/messages')

const CHANNEL = 'worker_threads'
/** What Node.js says for the idle time of a thread that has stopped: it is being taken apart. */
const STOPPED_MS = -1

/**
 * The worker threads that this thread starts: the watchdog is told of each, and the gate of their
 * beginnings and ends. The channel speaks from within `new Worker()`, so the message is on its way
 * even where the loop is blocked right after.
 */
class WorkerList {
  /** @type {Set<import('node:worker_threads').Worker>} */
  #workers = new Set()
  #post
  #gate

  /**
   * @param {(message: object) => void} post to the watchdog
   * @param {Pick<import('../bridge/thread-gate').ThreadGate, 'change'> | null} gate
   */
  constructor (post, gate) {
    this.#post = post
    this.#gate = gate
    diagnosticsChannel.subscribe(CHANNEL, this.#onWorker)
  }

  #change () {
    this.#gate?.change(nowMs())
  }

  /** @param {any} message */
  #onWorker = ({ worker }) => {
    // The id is -1 once the thread has ended.
    const { threadId } = worker
    this.#change()
    this.#workers.add(worker)
    this.#post({ code: THREAD_STARTED, threadId })
    // terminate() waits for the end by a listener, which is how it can be seen from outside.
    worker.on('newListener', (/** @type {string} */ event) => { if (event === 'exit') this.#change() })
    worker.once('exit', () => {
      this.#change()
      this.#workers.delete(worker)
      this.#post({ code: THREAD_ENDED, threadId })
    })
  }

  /** Whether one of them has stopped and may still be in the course of being taken apart. */
  hasStopping () {
    for (const { performance } of this.#workers) {
      if (performance.eventLoopUtilization().idle === STOPPED_MS) return true
    }
    return false
  }

  stop () {
    diagnosticsChannel.unsubscribe(CHANNEL, this.#onWorker)
  }
}

exports.WorkerList = WorkerList
