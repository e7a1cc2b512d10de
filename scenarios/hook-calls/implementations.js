'use strict'

const path = require('node:path')
const { loadAddon, registerHook } = require('./addon')
const { makeHook } = require('./threads/hook')
const { fifo, race } = require('./threads/indirect')
const { startThreads } = require('./threads/threads')

/**
 * @typedef {object} PoolOptions
 * @property {string} file the addon
 * @property {number} workers
 * @property {import('./threads/hook').HookOptions} hook
 * @property {string | null} [hookFile] exports another makeHook(), in place of ours
 * @property {Partial<import('./addon').LaneOptions>} [lane]
 * @property {import('./addon').Order} [order] of the free list, where calls are direct
 *
 * @typedef {object} HookPool ready to be called
 * @property {(count: number, idLength: number, deadlineMs?: number) => Promise<import('./addon').Outcome>} run
 * @property {import('node:worker_threads').Worker[]} workers
 * @property {(number | null)[]} tids kernel's ids of the worker threads, where they are known
 * @property {number} waitMs of initializing: from after the last constructor until all are ready
 * @property {() => Promise<void>} stop every call ends, every thread of it too
 */

const DEADLINE_MS = 30000
/** A turn of a thread: short enough for its timers and messages, long enough that most calls cost no wake-up. */
const LANE = { depth: 1, batch: 1, turnMicros: 1000 }

/**
 * @param {{ workers?: import('node:worker_threads').Worker[], tids?: (number | null)[], waitMs?: number, end?: () =>
 * Promise<unknown> }} threads
 * @param {import('./addon').NativePool} native
 */
const wrap = ({ workers = [], tids = [], waitMs = 0, end = async () => {} }, native) => ({
  run: (/** @type {number} */ count, /** @type {number} */ idLength, deadlineMs = DEADLINE_MS) =>
    new Promise((/** @type {(outcome: import('./addon').Outcome) => void} */ resolve) =>
      native.run(count, idLength, deadlineMs, resolve)
    ),
  workers,
  tids,
  waitMs,
  stop: async () => {
    native.stop()
    await Promise.all([end(), ...workers.map((worker) => worker.terminate())])
  }
})

/** @param {PoolOptions} options */
const hookOf = ({ hook, hookFile = null }) => (hookFile === null ? makeHook(hook) : require(hookFile).makeHook(hook))

/** The hook on the main thread. @param {PoolOptions} options @returns {Promise<HookPool>} */
async function main (options) {
  const addon = loadAddon(options.file)
  const native = new addon.HookPool()
  registerHook(addon, native.key, hookOf(options), { ...LANE, ...options.lane })
  return wrap({}, native)
}

/**
 * Rust calls the main thread, which passes the call on by message. The hook there is asynchronous, so its
 * promise holds no permit: all calls wait in JavaScript.
 * @param {(workers: import('node:worker_threads').Worker[]) => import('./threads/hook').Hook} schedule
 * @returns {(options: PoolOptions) => Promise<HookPool>}
 */
const indirect = (schedule) => async (options) => {
  const { workers, hook, hookFile = null } = options
  const threads = await startThreads(path.join(__dirname, 'threads', 'indirect-thread.js'), workers, { hook, hookFile })
  const addon = loadAddon(options.file)
  const native = new addon.HookPool()
  registerHook(addon, native.key, schedule(threads.workers), { ...LANE, ...options.lane })
  return wrap(threads, native)
}

/** The same through a pool as one takes it from npm. @param {PoolOptions} options @returns {Promise<HookPool>} */
async function piscina (options) {
  const { Piscina } = require('piscina')
  const { workers, hook } = options
  const pool = new Piscina({ filename: path.join(__dirname, 'threads', 'piscina-task.js'), minThreads: workers, maxThreads: workers, workerData: { hook }, atomics: 'sync' })
  const fromMs = performance.now()
  // The pool does not report when a worker is ready. One answer from each worker is the best available sign.
  await Promise.all(Array.from({ length: workers }, () => pool.run('0')))
  const waitMs = performance.now() - fromMs
  const addon = loadAddon(options.file)
  const native = new addon.HookPool()
  registerHook(addon, native.key, (id) => pool.run(id), { ...LANE, ...options.lane })
  return wrap({ waitMs, end: () => pool.destroy() }, native)
}

/** Each worker thread has the addon and its own lane. @param {PoolOptions} options @returns {Promise<HookPool>} */
async function direct (options) {
  const { file, workers, hook, hookFile = null, order = 'last-in' } = options
  const addon = loadAddon(file)
  const native = new addon.HookPool(order)
  const lane = { ...LANE, ...options.lane }
  const threads = await startThreads(path.join(__dirname, 'threads', 'direct-thread.js'), workers, { file, key: native.key, lane, hook, hookFile })
  return wrap(threads, native)
}

/** @type {Record<string, (options: PoolOptions) => Promise<HookPool>>} */
exports.implementations = { main, 'indirect-race': indirect(race), 'indirect-fifo': indirect(fifo), 'indirect-piscina': piscina, direct }
