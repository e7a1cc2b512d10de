'use strict'

// runtime: libuv's loop and its timers
const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')

test('time in which the agent held a thread is not a block of the application', async () => {
  const bridge = openBridge(createMemory())
  const heartbeat = startHeartbeat(bridge, { beatPeriod: 10, calmPeriod: 10, threshold: 50 })
  const hold = (/** @type {number} */ ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  await new Promise((resolve) => setTimeout(resolve, 100))
  bridge.lateBeats.drain()
  let fromMs = performance.now()
  hold(500)
  bridge.counters.add('agentMicros', Math.round((performance.now() - fromMs) * 1000))
  await new Promise((resolve) => setTimeout(resolve, 30))
  fromMs = performance.now()
  hold(500)
  bridge.counters.add('agentMicros', 200000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  const mostMs = performance.now() - fromMs - 200
  heartbeat.stop()
  const long = bridge.lateBeats.drain().map(([startMs, endMs]) => endMs - startMs).filter((gapMs) => gapMs > 200)
  assert.equal(long.length, 1)
  assert.ok(long[0] >= 290 && long[0] <= mostMs, `${long} ${mostMs}`)
})

test('a beat says for how long we had kept the thread by then', async () => {
  const bridge = openBridge(createMemory())
  bridge.counters.addHeldMs('profileMicros', 20, 50)
  const heartbeat = startHeartbeat(bridge, { beatPeriod: 10, calmPeriod: 10, threshold: 50 })
  assert.equal(bridge.beat.read().heldMicros, 20_000)
  bridge.counters.addHeldMs('agentMicros', 60, 50, 12)
  await new Promise((resolve) => setTimeout(resolve, 30))
  heartbeat.stop()
  assert.equal(bridge.beat.read().heldMicros, 80_000)
  assert.equal(bridge.counters.get('ownBlockedMicros'), 60_000, 'one as long as a block is one')
  assert.equal(bridge.counters.heldCpuMs, 32, 'where its CPU time is unknown, the time itself')
})

test('a turn reported within another ends what ran before, and the timer that is due stays due', () => {
  const bridge = openBridge(createMemory())
  const heartbeat = startHeartbeat(bridge, { beatPeriod: 10, calmPeriod: 100, threshold: 500 })
  const hold = (/** @type {number} */ ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  const { beats, atMs } = bridge.beat.read()
  for (let i = 0; i < 5; i++) {
    hold(12)
    heartbeat.turn()
  }
  assert.deepEqual([bridge.beat.read().beats - beats, bridge.lateBeats.isEmpty], [5, true])
  hold(600)
  heartbeat.turn()
  const [[startMs, endMs], ...others] = bridge.lateBeats.drain()
  heartbeat.stop()
  assert.deepEqual(others, [])
  assert.ok(startMs - atMs >= 60 && endMs - startMs >= 599, `${startMs - atMs} ${endMs - startMs}`)
  // The timer is overdue: it comes as soon as it can.
  assert.equal(bridge.beat.read().periodMs, 10)
})

test('the top level that is to be skipped does not leave a gap, whatever ends it', async () => {
  const hold = (/** @type {number} */ ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  const ends = [
    (/** @type {ReturnType<typeof startHeartbeat>} */ heartbeat) => heartbeat.turn(),
    () => new Promise((resolve) => setTimeout(resolve, 30))
  ]
  for (const end of ends) {
    const bridge = openBridge(createMemory())
    const heartbeat = startHeartbeat(bridge, { beatPeriod: 10, calmPeriod: 10, threshold: 500 })
    heartbeat.skipTopLevel()
    assert.equal(bridge.beat.read().periodMs, Infinity)
    hold(600)
    await end(heartbeat)
    assert.deepEqual([bridge.lateBeats.isEmpty, bridge.beat.read().periodMs], [true, 10])
    hold(600)
    heartbeat.turn()
    heartbeat.stop()
    assert.equal(bridge.lateBeats.drain().length, 1)
  }
})
