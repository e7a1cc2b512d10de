'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Lateness } = require('../lib/watchdog/lateness')

test('a watchdog that was not let run counts as late, for as long as it was', () => {
  const lateness = new Lateness()
  lateness.leave(50, 50, 100)
  assert.equal(lateness.arrive(102, 50.1), false)
  lateness.leave(102, 50.2, 150)
  assert.equal(lateness.arrive(2150, 50.3), true)
  assert.equal(lateness.within(0, 10000), 2000)
  assert.equal(lateness.within(1150, 1250), 100)
})

test('so does one that was stopped in the middle of a look', () => {
  const lateness = new Lateness()
  lateness.arrive(1000, 50)
  lateness.leave(3000, 51, 3050)
  assert.equal(lateness.within(0, 10000), 2000)
})

test('a watchdog that was busy itself is not late, and where nobody knows it is', () => {
  const lateness = new Lateness()
  lateness.leave(50, 50, 100)
  assert.equal(lateness.arrive(300, 240), false)
  lateness.leave(500, 430, 550)
  assert.equal(lateness.within(0, 1000), 0)
  lateness.leave(550, null, 600)
  assert.equal(lateness.arrive(800, null), true)
})

test('the first look of all is never late', () => {
  assert.equal(new Lateness().arrive(1e9, 0), false)
})
