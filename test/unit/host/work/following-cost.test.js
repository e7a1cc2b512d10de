'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FollowingCost } = require('../../../../lib/host/work/following-cost')

test('a rate of promises that costs a tenth of the CPU is too much, over a second or within a turn', () => {
  let id = 0
  const cost = new FollowingCost(() => id)
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
  const ids = [5000, 5000, 5000, 10]
  const cost = new FollowingCost(() => /** @type {number} */ (ids.shift()))
  cost.beat(0)
  assert.equal(cost.interrupt(100), false)
  assert.equal(cost.interrupt(5000), false)
  assert.equal(cost.interrupt(6000), false)
})
