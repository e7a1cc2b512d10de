'use strict'

// runtime: async hooks
const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const { hasContextFrame } = require('../../../../lib/host/runtime')
const { FollowingCost } = require('../../../../lib/host/work/following-cost')

test('a rate of promises that costs a tenth of the CPU is too much, over a second or within a turn', () => {
  let id = 0
  const cost = new FollowingCost({ running: () => id, next: () => id })
  assert.equal(cost.beat(1000), false)
  id += 900_000
  assert.equal(cost.beat(2000), false)
  id += 1_100_000
  assert.equal(cost.beat(2500), false, 'the rate is one of a second')
  assert.equal(cost.beat(3000), true)
  id += 20_000
  assert.equal(cost.interrupt(3005), false, 'too short to tell')
  assert.equal(cost.interrupt(3015), true)
  assert.equal(cost.interrupt(3025), false)
})

test('work without promises, whose number does not grow, and older work cost nothing', () => {
  const ids = [5000, 5000, 10]
  const cost = new FollowingCost({ running: () => /** @type {number} */ (ids.shift()), next: () => 5000 })
  cost.beat(0)
  assert.equal(cost.interrupt(100), false)
  assert.equal(cost.interrupt(5000), false)
  assert.equal(cost.interrupt(6000), false)
})

test('promises are counted from beat to beat, whose timer keeps its number', { skip: hasContextFrame() && 'promises have no numbers' }, async () => {
  const cost = new FollowingCost()
  /** @type {boolean[]} */
  const seen = []
  await new AsyncLocalStorage().run({}, () => new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    let beats = 0
    const timer = setTimeout(async () => {
      // The clock goes on by a second a beat.
      seen.push(cost.beat(++beats * 1000))
      if (beats === 3) return resolve()
      timer.refresh()
      // 1.2 million numbers, and a few.
      for (let i = 0; i < (beats === 1 ? 600_000 : 10); i++) await 0
      if (beats === 2) seen.push(cost.interrupt(beats * 1000 + 100))
    }, 1)
  }))
  assert.deepEqual(seen, [false, true, false, false])
})
