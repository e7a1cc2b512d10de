'use strict'

const { getEnvironmentData, setEnvironmentData } = require('node:worker_threads')

/** Node.js hands environment data to every worker thread that is started afterwards. */
const KEY = 'loopwatch.exit-lock.1'
/** So long after a worker thread has begun or ended nobody is spoken to. */
const QUIET_MS = 1000
/** An ending thread never waits longer, whatever has become of the main thread. */
const MOST_MS = 100

const SPEAKING = 0
const CHANGED_MS = 1

/**
 * Keeps the main thread from speaking to worker threads while one of them ends. To speak to one,
 * Node.js connects to all; where it connects to one in the very microseconds in which that thread's
 * inspector is taken apart, the process aborts without a word (MainThreadInterface::Post calls
 * shared_from_this() on an object that is being destroyed; seen on 20.20, 22.23, 24.21 and 26.10,
 * within seconds by `node scenarios/overhead/checks/thread-ends.js bare`).
 *
 * So nobody speaks in the second after a thread has begun, was told to end, or said that it ends; and
 * one that ends waits for whoever speaks. Of the two, each tells first and looks then.
 */
class WorkerExitLock {
  #ints
  #quietMs

  /** @param {SharedArrayBuffer} memory @param {number} [quietMs] */
  constructor (memory, quietMs = QUIET_MS) {
    this.#ints = new Int32Array(memory)
    this.#quietMs = quietMs
  }

  /** A worker thread begins or ends. @param {number} nowMs */
  change (nowMs) {
    Atomics.store(this.#ints, CHANGED_MS, nowMs | 0)
  }

  /** @param {number} nowMs */
  isQuiet (nowMs) {
    const sinceMs = ((nowMs | 0) - Atomics.load(this.#ints, CHANGED_MS)) | 0
    // After 25 days without a change the difference is negative.
    return sinceMs > this.#quietMs || sinceMs < -this.#quietMs
  }

  /** The main thread wants to speak. @param {number} nowMs @returns {boolean} whether it may: then leave() is due */
  enter (nowMs) {
    Atomics.store(this.#ints, SPEAKING, 1)
    if (this.isQuiet(nowMs)) return true
    this.leave()
    return false
  }

  leave () {
    Atomics.store(this.#ints, SPEAKING, 0)
    Atomics.notify(this.#ints, SPEAKING)
  }

  /** The last act of a worker thread. @param {number} nowMs */
  end (nowMs) {
    this.change(nowMs)
    Atomics.wait(this.#ints, SPEAKING, 1, MOST_MS)
  }
}

/**
 * Of the process: threads that were started under an earlier agent have it as well.
 * @type {SharedArrayBuffer | undefined}
 */
let memory

/** Main thread: has every worker thread that is started from now on get the lock. @param {number} [quietMs] */
exports.openExitLock = (quietMs) => {
  memory ??= new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  setEnvironmentData(KEY, memory)
  return new WorkerExitLock(memory, quietMs)
}

/** Main thread: worker threads that are started from now on do not get it. */
exports.closeExitLock = () => setEnvironmentData(KEY, undefined)

/** Worker thread: null in one that was started without it. @returns {WorkerExitLock | null} */
exports.findExitLock = () => {
  const found = getEnvironmentData(KEY)
  return found instanceof SharedArrayBuffer ? new WorkerExitLock(found) : null
}

exports.WorkerExitLock = WorkerExitLock
exports.QUIET_MS = QUIET_MS
