'use strict'

// runtime: libuv's loop and its timers
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')

const REST = require.resolve('../../../../lib/host/sense/rest')
/** Turns of a loop that waits for two seconds, of which a rest would have taken the first. */
const WAIT = `
  const { parentPort, workerData: { isEntered } } = require('node:worker_threads')
  const { Rest } = require(${JSON.stringify(REST)})
  const { nodeTiming } = require('node:perf_hooks').performance
  const rest = new Rest({ onTime () {}, onTurn () {} })
  setTimeout(() => {
    if (isEntered) rest.enter(performance.now(), 1000)
    rest.leave()
    const before = nodeTiming.uvMetricsInfo.loopCount
    setTimeout(() => parentPort.postMessage(nodeTiming.uvMetricsInfo.loopCount - before), 2000)
  }, 100)
`

test('a rest that was left does not wake the loop at its time', async () => {
  const turns = async (/** @type {boolean} */ isEntered) => {
    const [count] = await once(new Worker(WAIT, { eval: true, workerData: { isEntered } }), 'message')
    return count
  }
  // V8's own tasks wake one loop or another once more.
  const least = async (/** @type {boolean} */ isEntered) =>
    Math.min(...await Promise.all([1, 2, 3].map(() => turns(isEntered))))
  const [left, never] = await Promise.all([least(true), least(false)])
  assert.equal(left, never)
})
