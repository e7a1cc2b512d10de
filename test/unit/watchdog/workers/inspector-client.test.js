'use strict'

const { once } = require('node:events')
const test = require('node:test')
const assert = require('node:assert/strict')
const vm = require('node:vm')
const { Worker } = require('node:worker_threads')
const { InspectorClient } = require('../../../../lib/watchdog/workers/inspector-client')

/** @param {{ workerCalls: number, micros?: number, mayAsk?: boolean }} state */
function makeAsker (state) {
  /** @type {number[][]} */
  const posted = []
  const asker = new InspectorClient({
    options: { threshold: 50, resolution: 10, calmPeriod: 100 },
    workerCalls: () => state.workerCalls,
    workerCallMicros: () => state.micros ?? 0,
    mayAsk: () => state.mayAsk ?? true,
    ask: ({ threadIds }) => {
      posted.push(threadIds)
      return null
    }
  })
  return { asker, posted }
}

test('threads that are due are asked in one go, in bursts of ten and then once a second', () => {
  const state = { workerCalls: 0 }
  const { asker, posted } = makeAsker(state)
  for (let nowMs = 0; nowMs < 60000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.ask(2)
    asker.close(nowMs)
    if (posted.length > state.workerCalls) state.workerCalls++
  }
  assert.ok(posted.length >= 60 && posted.length <= 71, `${posted.length}`)
  assert.deepEqual(posted[0], [1, 2])
})

test('a question that takes the main thread long is not repeated before a hundred times that', () => {
  const state = { workerCalls: 0, micros: 0 }
  const { asker, posted } = makeAsker(state)
  for (let nowMs = 0; nowMs < 10000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.close(nowMs)
    if (posted.length > state.workerCalls) {
      state.workerCalls++
      state.micros += 20000
    }
  }
  assert.equal(posted.length, 5)
})

test('while the main thread has not passed a question on, none is added, until it is taken for lost', () => {
  const { asker, posted } = makeAsker({ workerCalls: 0 })
  for (let nowMs = 0; nowMs < 9000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.close(nowMs)
  }
  assert.equal(posted.length, 1)
  assert.equal(asker.isHeldUp, true)
  assert.equal(asker.install([2], false, 9500), 0)
  assert.equal(asker.install([2], false, 10500), 1)
})

test('a few threads are asked in one go, one to load at an interrupt, and each has its turn', () => {
  const state = { workerCalls: 0, mayAsk: true }
  const { asker, posted } = makeAsker(state)
  const due = [1, 2, 3, 4, 5, 6]
  for (let nowMs = 0; nowMs < 300; nowMs += 10) {
    asker.open(nowMs)
    for (const threadId of due) asker.ask(threadId)
    asker.close(nowMs)
    state.workerCalls = posted.length
  }
  assert.deepEqual(posted.slice(0, 3), [[1, 2, 3, 4], [5, 6], [1, 2, 3, 4]])
  assert.equal(asker.install(due, false, 1000), 4)
  state.workerCalls++
  assert.equal(asker.install(due, true, 1010), 0, 'too soon after the last')
  assert.equal(asker.install(due, true, 1100), 1)
  state.workerCalls++
  state.mayAsk = false
  assert.equal(asker.install(due, true, 2000), 0)
})

test('outside of a look no thread is asked', () => {
  const { asker, posted } = makeAsker({ workerCalls: 0 })
  assert.equal(asker.ask(1), false)
  asker.close(0)
  assert.deepEqual(posted, [])
})

test('a thread loads what watches it in its own code or at its loop, never before Node.js has prepared it', () => {
  const calls = [false, true].map((isInterrupt) => {
    let expression = ''
    const asker = new InspectorClient({
      options: { threshold: 50, resolution: 10, calmPeriod: 100 },
      workerCalls: () => 0,
      workerCallMicros: () => 0,
      mayAsk: () => true,
      ask: (call) => {
        expression = call.expression
        return null
      }
    })
    asker.install([1], isInterrupt, 0)
    return expression
  })
  /**
   * @param {number} i which call
   * @param {string} stack
   * @param {{ parentPort?: object | null, lateMs?: number }} [state]
   */
  const loads = (i, stack, { parentPort = {}, lateMs = 0 } = {}) => {
    /** @type {string[]} */
    const seen = []
    /** @type {Record<string, object>} */
    const modules = {
      'node:worker_threads': { parentPort },
      'node:process': { hrtime: { bigint: () => BigInt(lateMs * 1e6) } },
      'node:timers': { setImmediate: () => seen.push('at its loop') },
      'node:module': { createRequire: () => Object.assign(() => ({ install: () => seen.push('at once') }), { cache: {} }) }
    }
    const process = { getBuiltinModule: (/** @type {string} */ name) => modules[name] }
    vm.runInNewContext(`${calls[i]}(undefined, 0, '')`, { process, Error: class { stack = stack } })
    return seen
  }
  const nobody = 'Error\n    at <anonymous>:5:21\n    at <anonymous>:30:8'
  const node = `${nobody}\n    at evalScript (node:internal/process/execution:87:12)`
  const user = `${node}\n    at spin (/app/worker.js:3:9)`
  assert.deepEqual([nobody, node, user].map((stack) => loads(0, stack)), [['at its loop'], ['at its loop'], ['at its loop']])
  assert.deepEqual([nobody, node, user].map((stack) => loads(1, stack)), [['at its loop'], ['at its loop'], ['at once']])
  for (const stack of [nobody, user]) assert.deepEqual(loads(1, stack, { lateMs: 6 }), ['at its loop'])
  for (const i of [0, 1]) assert.deepEqual(loads(i, nobody, { parentPort: null }), [])
})

test('a thread that is asked anew while it runs no code of the application, or too late, loads at its next turn', async () => {
  for (const isInterrupt of [false, true]) {
    let expression = ''
    const ask = (/** @type {{ expression: string }} */ call) => { expression = call.expression; return null }
    new InspectorClient({
      options: { threshold: 50, resolution: 10, calmPeriod: 100 },
      workerCalls: () => 0,
      workerCallMicros: () => 0,
      mayAsk: () => true,
      ask
    }).install([1], isInterrupt, 0)
    // Asked at 0: too late to be interrupted.
    const worker = new Worker(`${expression}(undefined, 0, 'idle')
      setTimeout(() => require('node:worker_threads').parentPort.postMessage(typeof globalThis[Symbol.for('loopwatch.agent.1')]?.announce), 50)`, { eval: true })
    assert.deepEqual(await once(worker, 'message'), ['function'], `${isInterrupt}`)
    await worker.terminate()
  }
})
