'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { once } = require('node:events')
const { Worker, getEnvironmentData } = require('node:worker_threads')
const { openExitLock, closeExitLock, findExitLock, WorkerExitLock, QUIET_MS } = require('../../../lib/bridge/worker-exit-lock')

const LIB = JSON.stringify(path.join(__dirname, '..', '..', '..', 'lib'))
const memory = () => new SharedArrayBuffer(8)

test('nobody is spoken to before a second has passed since a thread began or ended', () => {
  const lock = new WorkerExitLock(memory())
  for (const nowMs of [5000, 2 ** 31 - 500, 2 ** 32 - 1, 2 ** 40 + 7]) {
    lock.change(nowMs)
    assert.deepEqual(
      [-1, 0, QUIET_MS, QUIET_MS + 1, 1e6, 2 ** 31, 2 ** 31 + 1e6].map((sinceMs) => lock.isQuiet(nowMs + sinceMs)),
      [false, false, false, true, true, true, true],
      String(nowMs)
    )
    assert.equal(lock.enter(nowMs + QUIET_MS), false)
    assert.equal(lock.enter(nowMs + QUIET_MS + 1), true)
    lock.leave()
  }
})

/** A thread that takes the lock's last step, and how long that took it. */
const ENDING = `
  const { parentPort } = require('node:worker_threads')
  const { findExitLock } = require(${LIB} + '/bridge/worker-exit-lock')
  const lock = findExitLock()
  const startMs = performance.now()
  lock?.end(0)
  parentPort.postMessage({ has: lock !== null, tookMs: performance.now() - startMs })`

test('a thread that ends waits for whoever speaks, but not for ever', async () => {
  const lock = openExitLock()
  const end = async () => (await once(new Worker(ENDING, { eval: true }), 'message'))[0]
  lock.change(0)
  const free = await end()
  assert.equal(free.has, true)
  assert.ok(free.tookMs < 90, `${free.tookMs} ms where nobody speaks`)

  assert.ok(lock.enter(1e6))
  const held = await end()
  assert.ok(held.tookMs >= 99, `${held.tookMs} ms where somebody never leaves`)
  assert.equal(lock.isQuiet(500), false, 'it has told of its end')
  lock.leave()
})

test('threads that are started after the agent has stopped have no lock, those of the next agent the same one', async () => {
  openExitLock().change(7000)
  closeExitLock()
  const worker = new Worker(ENDING, { eval: true })
  assert.equal((await once(worker, 'message'))[0].has, false)
  assert.equal(openExitLock().isQuiet(7500), false)
  assert.ok(getEnvironmentData('loopwatch.exit-lock.1') instanceof SharedArrayBuffer)
  assert.notEqual(findExitLock(), null)
  closeExitLock()
})
