'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Lateness } = require('../lib/watchdog/lateness')

test('a watchdog that was not let run counts as late, for as long as it was', () => {
  const lateness = new Lateness()
  lateness.expect(100, 50)
  assert.equal(lateness.arrive(102, () => 50.1), false)
  lateness.expect(150, 50)
  assert.equal(lateness.arrive(2150, () => 50.2), true)
  assert.equal(lateness.within(0, 10000), 2000)
  assert.equal(lateness.within(1150, 1250), 100)
})

test('a watchdog that was busy itself is not late, and where nobody knows it is', () => {
  const lateness = new Lateness()
  lateness.expect(100, 50)
  assert.equal(lateness.arrive(300, () => 240), false)
  assert.equal(lateness.within(0, 1000), 0)
  lateness.expect(400, null)
  assert.equal(lateness.arrive(600, () => null), true)
})

test('the first look of all is never late', () => {
  assert.equal(new Lateness().arrive(1e9, () => 0), false)
})
