'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { tellAsBeats } = require('../../../../lib/host/sense/heartbeat')
const { LoopLoad } = require('../../../../lib/host/shedding/loop-load')

/** @param {number} busyMs of a second at its end @param {number} [gapMs] */
function told (busyMs, gapMs = 1000) {
  /** @type {number[]} */
  const delays = []
  const load = new LoopLoad()
  // The first beat is of the startup.
  load.beat(0, 0, 0, 25, 25)
  tellAsBeats({ load, delays: { beat: (atMs, lateMs) => delays.push(lateMs) } },
    { fromMs: 0, atMs: gapMs, busyMs, periodMs: 25, punctualMs: 0.5, nextPeriodMs: 25 })
  return { delays, utilization: load.utilization(gapMs), delayMs: load.delayMs(gapMs) }
}

test('an idle rest weighs as much as the beats that it spared', () => {
  const { delays, utilization, delayMs } = told(0)
  assert.deepEqual(delays, Array(40).fill(0.5))
  assert.equal(utilization, 0)
  assert.equal(delayMs, 0)
})

test('the turn that ends a rest delays what was due in it', () => {
  const { delays, utilization, delayMs } = told(200)
  assert.equal(delays.length, 33)
  assert.equal(delays.at(-1), 175)
  assert.ok(Math.abs(utilization - 0.2) < 0.001, `${utilization}`)
  assert.equal(delayMs, 200 * 175 / 1000)
})

test('a turn in which nothing was due delays nothing', () => {
  assert.deepEqual(told(5, 60).delays, [0.5, 0.5])
})

test('a process that was stopped for a night is accounted for in a moment', () => {
  const { delays, utilization } = told(0, 8 * 3600 * 1000)
  assert.equal(delays.length, 1000)
  assert.equal(utilization, 0)
})
