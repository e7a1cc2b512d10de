'use strict'

// runtime: libuv's loop and its timers
const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: wait } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { Delays } = require('../../../../lib/host/sense/load-report')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { eventually } = require('../../../support/app')

test('a block of the event loop is among the delays with its duration', async (t) => {
  const options = { beatPeriod: 10, calmPeriod: 10, threshold: 50 }
  const bridge = openBridge(createMemory())
  const heartbeat = startHeartbeat(bridge, options, { delays: new Delays(options, bridge.delays) })
  t.after(() => heartbeat.stop())
  const read = () => bridge.delays.read([10, 250, 500])
  await eventually(() => read().count >= 20, 'twenty heartbeats')
  const before = read()
  const startedAt = performance.now()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const blockedMs = performance.now() - startedAt
  await eventually(() => read().count > before.count, 'the heartbeat after the block')
  await wait(50)
  const after = read()
  const slow = (/** @type {typeof after} */ { upTo, count }) => count - upTo[1]
  assert.ok(slow(after) > slow(before), `${JSON.stringify(before)} became ${JSON.stringify(after)}`)
  assert.ok(after.upTo[2] > after.upTo[1] || blockedMs > 500, 'above 250 ms')
  assert.ok(after.sumMs - before.sumMs > 280, `only ${after.sumMs - before.sumMs} ms`)
  // Those in calm count with nearly nothing, not with the heartbeat's period each.
  assert.ok(before.sumMs < before.count * 10 || before.upTo[0] < before.count, `${before.count} heartbeats in calm gave ${before.sumMs} ms`)
})

test('a busy second gives as many delays as a calm one, startup gives none, a long block one', () => {
  /** @type {number[]} */
  const counted = []
  const delays = new Delays({ calmPeriod: 25 }, { record: (ms) => counted.push(ms) })
  let atMs = 5000
  /** How many of the beats were counted. @param {number} beats @param {number} periodMs @param {number} lateMs */
  const recorded = (beats, periodMs, lateMs) => {
    const before = counted.length
    for (let i = 0; i < beats; i++) delays.beat(atMs += periodMs + lateMs, lateMs)
    return counted.length - before
  }
  assert.equal(recorded(1, 10, 3000), 0, 'the first turn')
  assert.equal(recorded(400, 25, 0), 400)
  const busy = recorded(1000, 10, 0)
  assert.ok(busy >= 399 && busy <= 401, `${busy} of 400 periods`)
  assert.equal(Math.max(...counted), 0)
  assert.equal(recorded(1, 10, 2000), 1)
  assert.equal(Math.max(...counted), 2000)
  assert.ok(recorded(100, 10, 0) <= 42, 'what the block held up is not made up for')
  recorded(2, 25, -0.4)
  assert.equal(Math.min(...counted), 0, 'a timer that comes early is not late')
})
