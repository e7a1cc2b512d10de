'use strict'

// runtime: worker threads and their diagnostics channel
const test = require('node:test')
const assert = require('node:assert/strict')
const diagnosticsChannel = require('node:diagnostics_channel')
const { setTimeout: sleep } = require('node:timers/promises')
const { OutsideWatch } = require('../../../../lib/host/threads/outside-watch')
const { THREAD_STARTED, THREAD_ENDED } = require('../../../../lib/bridge/messages')

/** @param {number} threadId what the channel gives of a worker thread */
const makeWorker = (threadId) => ({
  threadId,
  threadName: `pool ${threadId}`,
  performance: { eventLoopUtilization: () => ({ idle: performance.now(), active: 1 }) }
})

test('threads beyond the 64 that are watched are reported once, and the next of them is watched when one ends', async (t) => {
  /** @type {any[]} */
  const posted = []
  const watch = new OutsideWatch({ threshold: 50 }, (message) => posted.push(message), () => false)
  t.after(() => watch.stop())
  const workers = Array.from({ length: 66 }, (_, i) => makeWorker(1000 + i))
  for (const worker of workers) diagnosticsChannel.channel('worker_threads').publish({ worker })
  const told = () => posted.map(({ code, threadId, memory }) => [code, threadId, memory !== undefined])
  assert.deepEqual(told(), workers.map(({ threadId }, i) => [THREAD_STARTED, threadId, i < 64]))
  assert.deepEqual(watch.hellos.map(({ memory }) => memory !== null), workers.map((_, i) => i < 64))
  // Looks are 100 ms apart at most.
  await sleep(300)
  assert.equal(posted.length, 66)
  workers[0].threadId = -1
  await sleep(300)
  assert.deepEqual(told().slice(66), [[THREAD_ENDED, 1000, false], [THREAD_STARTED, 1064, true]])
})
