'use strict'

// A thread of the pool or of one request: it runs the work in each message and posts the result.
const { parentPort, workerData } = require('node:worker_threads')
const { kernels } = require('../kernels')
const { KEYS, ways } = require('./state')

const memory = new Int32Array(workerData.memory)

/** @param {{ kernel: string, steps: number }} task */
const work = ({ kernel, steps }) => kernels[kernel](steps)

/** @param {{ state: string, updates: number }} task */
function update ({ state, updates }) {
  // The owner's thread has the counters; messages come in order, so all have come before the answer.
  if (state === 'owner-messages') for (let i = 0; i < updates; i++) parentPort?.postMessage({ add: i % KEYS })
  else for (let i = 0; i < updates; i++) ways[state](memory, i % KEYS)
  return 'updated'
}

/** @param {any} task */
const perform = (task) => task.updates === undefined ? work(task) : update(task)

if (workerData.task !== undefined) {
  // The original's shared state: memory made anew for each request, which nobody else ever sees.
  if (workerData.toggle !== undefined) Atomics.xor(new Int32Array(workerData.toggle), 0, 1)
  parentPort?.postMessage(perform(workerData.task))
  // And its leak: who listens to its parent never ends.
  if (workerData.isKept) parentPort?.on('message', () => {})
} else {
  parentPort?.on('message', (task) => parentPort?.postMessage({ result: perform(task) }))
}
