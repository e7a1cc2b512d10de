'use strict'

const { Worker } = require('node:worker_threads')

/**
 * @typedef {object} Started
 * @property {Worker[]} workers
 * @property {(number | null)[]} tids
 * @property {number} waitMs from after the last constructor until all are ready
 */

/**
 * Starts worker threads that say `{ tid }` when they are ready.
 * @param {string} file
 * @param {number} count
 * @param {object} workerData
 * @returns {Promise<Started>}
 */
exports.startThreads = async (file, count, workerData) => {
  // Its own copy of the environment is what each thread would make first, and none changes it.
  const { SHARE_ENV } = require('node:worker_threads')
  const workers = Array.from({ length: count }, () => new Worker(file, { workerData, env: SHARE_ENV, execArgv: [] }))
  const fromMs = performance.now()
  try {
    const tids = await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
      worker.once('message', ({ tid }) => resolve(tid))
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`a worker ended with exit code ${code} before it was ready`)))
    })))
    return { workers, tids, waitMs: performance.now() - fromMs }
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.terminate()))
    throw error
  }
}
