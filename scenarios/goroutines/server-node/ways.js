'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { kernels } = require('../kernels')
const { allocate, total } = require('./state')

const THREAD = path.join(__dirname, 'thread.js')

/** @typedef {{ kernel: string, steps: number }} Task */
/**
 * @typedef {{ work: (task: Task, query: URLSearchParams) => Promise<string> | string, update?: (updates: number) =>
 * Promise<string>, total?: () => number }} Way
 */

/** A thread for each request. @param {boolean} isKept the original's: nobody ever ends it */
const perRequest = (isKept) => {
  // Only the pool has state to share.
  const memory = allocate()
  /** @param {Task} task @param {URLSearchParams} query @returns {Promise<string>} */
  const work = (task, query) => new Promise((resolve, reject) => {
    const toggle = query.get('toggle') === '1' ? new SharedArrayBuffer(4) : undefined
    const worker = new Worker(THREAD, { workerData: { memory, task, toggle, isKept } })
    worker.once('error', reject)
    worker.once('message', (result) => {
      resolve(result)
      if (!isKept) worker.terminate()
    })
  })
  return { work }
}

/** @type {Record<string, (options: { size: number, state: string }) => Way>} */
exports.ways = {
  main: () => ({ work: ({ kernel, steps }) => kernels[kernel](steps) }),
  'worker-per-request': () => perRequest(false),
  'worker-kept': () => perRequest(true),
  pool: ({ size, state }) => {
    const { Pool } = require('./pool')
    const pool = new Pool(size)
    return {
      work: (task) => pool.run(task),
      update: (updates) => pool.run({ updates, state }),
      total: () => state === 'owner-messages' ? pool.ownedTotal : total(state, pool.memory)
    }
  },
  piscina: ({ size }) => {
    const { Piscina } = require('piscina')
    const pool = new Piscina({ filename: path.join(__dirname, 'piscina-task.js'), minThreads: size, maxThreads: size, idleTimeout: Infinity })
    return { work: (task) => pool.run(task) }
  }
}
