'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { allocate } = require('./state')

const THREAD = path.join(__dirname, 'thread.js')

/** @typedef {{ task: object, resolve: (result: string) => void }} Waiting */

/** A fixed number of threads, first come, first served. */
class Pool {
  /** @type {Waiting[]} */
  #waiting = []
  /** @type {Worker[]} */
  #idle = []
  #memory = allocate()
  /** The counters that the owner keeps where threads send it messages. @type {Map<number, number>} */
  #owned = new Map()

  /** @param {number} size */
  constructor (size) {
    for (let i = 0; i < size; i++) {
      const worker = new Worker(THREAD, { workerData: { memory: this.#memory } })
      // A thread that fails leaves requests without an answer: the server is broken, and must say so.
      worker.on('error', (error) => { throw error })
      this.#idle.push(worker)
    }
  }

  get memory () {
    return new Int32Array(this.#memory)
  }

  get ownedTotal () {
    return [...this.#owned.values()].reduce((sum, count) => sum + count, 0)
  }

  /** @param {object} task @returns {Promise<string>} */
  run (task) {
    return new Promise((resolve) => {
      this.#waiting.push({ task, resolve })
      this.#next()
    })
  }

  #next () {
    if (this.#waiting.length === 0) return
    const worker = this.#idle.pop()
    if (worker === undefined) return
    const { task, resolve } = /** @type {Waiting} */ (this.#waiting.shift())
    const onMessage = (/** @type {{ add?: number, result?: any }} */ { add, result }) => {
      if (add !== undefined) {
        this.#owned.set(add, (this.#owned.get(add) ?? 0) + 1)
        return
      }
      worker.off('message', onMessage)
      this.#idle.push(worker)
      resolve(result)
      this.#next()
    }
    worker.on('message', onMessage)
    worker.postMessage(task)
  }
}

exports.Pool = Pool
