'use strict'

/**
 * A worker thread as the relay on the main thread sees it: one call at a time.
 */
class Relayed {
  #worker
  /** @type {((error: Error | null, answer?: unknown) => void) | null} */
  #settle = null
  #tickets = 0
  isGone = false
  /** The call in flight: settled when the thread is free again, never rejected. @type {Promise<void> | null} */
  busy = null

  /** @param {import('node:worker_threads').Worker} worker @param {() => void} onGone */
  constructor (worker, onGone) {
    this.#worker = worker
    worker.on('message', ({ ticket, answer, error }) => {
      if (ticket === this.#tickets) {
        this.#end(error === undefined ? null : Object.assign(new Error(error.message), { code: error.code }), answer)
      }
    })
    // The cause has been reported before. This listener only prevents an unhandled error.
    worker.on('error', () => {})
    worker.once('exit', () => {
      this.isGone = true
      this.#end(Object.assign(new Error('the thread of the hook ended with the call in flight'), { code: 'HOOK_WORKER_EXITED' }))
      onGone()
    })
  }

  /** @param {string} id @returns {Promise<string>} */
  call (id) {
    const called = new Promise((resolve, reject) => {
      this.#settle = (error, answer) => error === null ? resolve(answer) : reject(error)
      this.#worker.postMessage({ ticket: ++this.#tickets, id })
    })
    const free = () => { this.busy = null }
    this.busy = called.then(free, free)
    return called
  }

  /** @param {Error | null} error @param {unknown} [answer] */
  #end (error, answer) {
    const settle = this.#settle
    this.#settle = null
    settle?.(error, answer)
  }
}

const noWorker = () => Object.assign(new Error('no thread is left that has the hook'), { code: 'HOOK_NO_WORKER' })

/**
 * The original's scheduler: whoever finds all busy waits for any of them and looks again. Each completion wakes
 * every call that waits, of which one gets on: count x count / 2 wake-ups, each with a race of as many promises
 * as there are workers.
 * @param {import('node:worker_threads').Worker[]} workers
 * @returns {import('./hook').Hook}
 */
exports.race = (workers) => {
  const all = workers.map((worker) => new Relayed(worker, () => {}))
  return async (id) => {
    for (;;) {
      const alive = all.filter(({ isGone }) => !isGone)
      if (alive.length === 0) throw noWorker()
      const free = alive.find(({ busy }) => busy === null)
      if (free !== undefined) return free.call(id)
      await Promise.race(alive.map(({ busy }) => busy))
    }
  }
}

/**
 * A free list: a worker that is done takes the call that waits longest, and nobody else is woken.
 * @param {import('node:worker_threads').Worker[]} workers
 * @returns {import('./hook').Hook}
 */
exports.fifo = (workers) => {
  /** @type {{ id: string, resolve: (answer: Promise<string>) => void, reject: (error: Error) => void }[]} */
  const waiting = []
  /** The first that waits: shift() moves all that are behind it. */
  let first = 0
  /** @type {Relayed[]} */
  let free = []
  let alive = workers.length
  const next = (/** @type {Relayed} */ worker) => {
    if (worker.isGone) return
    if (first === waiting.length) {
      waiting.length = first = 0
      free.push(worker)
      return
    }
    const { id, resolve } = waiting[first++]
    resolve(call(worker, id))
  }
  const call = (/** @type {Relayed} */ worker, /** @type {string} */ id) => {
    const called = worker.call(id)
    worker.busy?.then(() => next(worker))
    return called
  }
  const all = workers.map((worker) => new Relayed(worker, () => {
    free = free.filter(({ isGone }) => !isGone)
    if (--alive === 0) for (const { reject } of waiting.splice(first)) reject(noWorker())
  }))
  free.push(...all)
  return (id) => {
    const worker = free.pop()
    if (worker !== undefined) return call(worker, id)
    if (alive === 0) return Promise.reject(noWorker())
    return new Promise((resolve, reject) => { waiting.push({ id, resolve, reject }) })
  }
}
