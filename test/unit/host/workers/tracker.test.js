'use strict'

// What a thread knows of the Workers that it starts, whatever becomes of the listeners that tell.
const { once } = require('node:events')
const test = require('node:test')
const assert = require('node:assert/strict')
const { Worker } = require('node:worker_threads')
const { THREAD_STARTED, THREAD_ENDED } = require('../../../../lib/bridge/messages')
const { WorkerTracker } = require('../../../../lib/host/workers/tracker')
const { eventually } = require('../../../support/app')

/** @param {(worker: Worker) => unknown} retire */
async function tellsOf (retire) {
  /** @type {any[]} */
  const told = []
  let changes = 0
  const list = new WorkerTracker((message) => told.push(message), { change: () => changes++ })
  try {
    const worker = new Worker('setInterval(() => {}, 1000)', { eval: true })
    const { threadId } = worker
    await once(worker, 'online')
    changes = 0
    await retire(worker)
    const { length } = told
    // Others sweep up what could not be told.
    await new Worker('', { eval: true }).terminate()
    return {
      atOnce: told.slice(1, length).map(({ code }) => code),
      all: told.filter((message) => message.threadId === threadId).map(({ code }) => code),
      changes
    }
  } finally {
    list.stop()
  }
}

test('the end of a worker is told whose listeners the application has removed', async () => {
  /** @type {Record<string, (worker: Worker) => unknown>} */
  const ways = {
    none: (worker) => worker.terminate(),
    exit: (worker) => worker.removeAllListeners('exit').terminate(),
    all: (worker) => worker.removeAllListeners().terminate(),
    later: async (worker) => {
      worker.removeAllListeners()
      await null
      worker.removeAllListeners('exit')
      await new Promise((resolve) => setImmediate(resolve))
      await worker.terminate()
    }
  }
  for (const [name, retire] of Object.entries(ways)) {
    const { atOnce } = await tellsOf(retire)
    assert.deepEqual(atOnce, [THREAD_ENDED], name)
  }
  const { all } = await tellsOf(async (worker) => {
    const emit = worker.emit
    // Nobody hears of it in any way.
    worker.emit = (/** @type {string | symbol} */ event, /** @type {any[]} */ ...args) =>
      event !== 'exit' && emit.call(worker, event, ...args)
    worker.terminate()
    await eventually(() => worker.threadId === -1, 'the end')
  })
  assert.deepEqual(all, [THREAD_STARTED, THREAD_ENDED], 'with the next worker')
})

test('that a worker is about to be terminated is known though all its listeners are removed in the same turn', async (t) => {
  let before = 0
  let changes = 0
  const list = new WorkerTracker(() => {}, { change: () => changes++ })
  // In its first lines its loop has not started, and nobody sees from outside that it has stopped.
  const worker = new Worker('for (;;);', { eval: true })
  t.after(() => {
    list.stop()
    return worker.terminate()
  })
  worker.removeAllListeners()
  await new Promise((resolve) => setTimeout(resolve, 200))
  before = changes
  worker.removeAllListeners()
  assert.ok(changes > before, 'told with the removal')
  await new Promise((resolve) => setImmediate(resolve))
  before = changes
  const ended = worker.terminate()
  assert.ok(changes > before, 'and with terminate(), once ours have come back')
  await ended
})
