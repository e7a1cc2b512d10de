'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { nowMs } = require('../../../../lib/util/clock')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { LoopLoad } = require('../../../../lib/host/shedding/loop-load')
const { eventually } = require('../../../support/app')
const { seeded } = require('../../../support/simulated-host')

/** A loop on a made-up clock that beats as lib/host/sense/heartbeat.js does. */
function makeLoop () {
  const load = new LoopLoad()
  let atMs = 1000
  let periodMs = 10
  let lastAtMs = atMs
  /** @param {number} gapMs @param {number} idleMs */
  const turn = (gapMs, idleMs) => {
    atMs = lastAtMs + gapMs
    const nextPeriodMs = idleMs >= gapMs * 0.9 ? 25 : 10
    load.beat(atMs, gapMs, idleMs, periodMs, nextPeriodMs)
    periodMs = nextPeriodMs
    lastAtMs = atMs
  }
  return {
    load,
    turn,
    get delayMs () { return load.delayMs(atMs) },
    get utilization () { return load.utilization(atMs) },
    /** @param {number} ms time in which no beat comes */
    wait: (ms) => { atMs += ms },
    /** @param {number} forMs @param {(periodMs: number) => [number, number]} next gap and idle time of a turn */
    run: (forMs, next) => {
      let leftMs = forMs
      while (leftMs > 0) {
        const [gapMs, idleMs] = next(periodMs)
        turn(gapMs, idleMs)
        leftMs -= gapMs
      }
    }
  }
}

const random = seeded(3)
const calm = (/** @type {number} */ periodMs) => /** @type {[number, number]} */ ([periodMs + random(), periodMs])
const busy = () => /** @type {[number, number]} */ ([12 + 2 * random(), 0])

/** After startup and some calm. */
function makeCalm () {
  const loop = makeLoop()
  loop.turn(5, 0)
  loop.run(3000, calm)
  return loop
}

test('a calm loop has no load', () => {
  const loop = makeCalm()
  assert.ok(loop.delayMs < 2, `${loop.delayMs}`)
  assert.ok(loop.utilization < 0.1, `${loop.utilization}`)
})

test('startup is not counted as load, nor a first turn as utilization', () => {
  const loop = makeLoop()
  loop.turn(3000, 0)
  assert.deepEqual([loop.delayMs, loop.utilization], [0, 0])
  loop.turn(12, 0)
  assert.equal(loop.utilization, 0)
  assert.equal(new LoopLoad().delayMs(5), 0)
})

test('a long block is load at once: before its late beat, and right after it', () => {
  const loop = makeCalm()
  loop.wait(2000)
  assert.ok(loop.delayMs > 1000, `${loop.delayMs} while the beat is due`)
  assert.ok(loop.utilization > 0.6, `${loop.utilization} while the beat is due`)
  loop.turn(2010, 10)
  assert.ok(loop.delayMs > 1000, `${loop.delayMs} after the beat`)
  assert.ok(loop.utilization > 0.6, `${loop.utilization} after the beat`)
})

test('a block that is short against the interval weighs what it is', () => {
  const loop = makeCalm()
  loop.turn(60, 10)
  assert.ok(loop.delayMs < 10, `${loop.delayMs}`)
})

test('a saturated loop whose beats are each 5 ms late has a delay of 5 ms', () => {
  const loop = makeCalm()
  loop.run(3000, () => [15, 0])
  assert.ok(Math.abs(loop.delayMs - 5) < 0.1, `${loop.delayMs}`)
  assert.ok(loop.utilization > 0.99, `${loop.utilization}`)
})

test('load ends within two seconds', () => {
  for (const during of [
    (/** @type {any} */ loop) => loop.run(10000, busy),
    (/** @type {any} */ loop) => loop.turn(30000, 0),
    (/** @type {any} */ loop) => loop.run(60000, () => [600, 0])
  ]) {
    const loop = makeCalm()
    during(loop)
    loop.run(2000, calm)
    assert.ok(loop.delayMs < 2, `${loop.delayMs}`)
    assert.ok(loop.utilization < 0.1, `${loop.utilization}`)
  }
})

test('load is of the last second, not since the start', () => {
  const loop = makeLoop()
  loop.turn(5, 0)
  loop.run(600000, calm)
  loop.run(1100, busy)
  assert.ok(loop.utilization > 0.95, `${loop.utilization}`)
})

test('a loop that is no longer watched has no load', () => {
  const loop = makeCalm()
  loop.run(2000, busy)
  loop.load.end()
  loop.wait(100000)
  assert.deepEqual([loop.delayMs, loop.utilization], [0, 0])
})

test('a heartbeat tells its load, and ends it with itself', async () => {
  const load = new LoopLoad()
  const heartbeat = startHeartbeat(
    openBridge(createMemory()),
    { beatPeriod: 10, calmPeriod: 25, threshold: 50 },
    { load }
  )
  await eventually(() => load.delayMs(nowMs() + 10000) > 1000, 'the load to know of a beat')
  heartbeat.stop()
  assert.equal(load.delayMs(nowMs() + 10000), 0)
})
