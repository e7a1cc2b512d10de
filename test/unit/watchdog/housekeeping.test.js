'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BadRoutes, LongTurns } = require('../../../lib/watchdog/housekeeping')

test('a function for routes that fails is reported, and trusted again after a minute without', () => {
  const judge = new BadRoutes()
  assert.equal(judge.judge(0, 1000), null)
  assert.match(String(judge.judge(3, 2000)), /option route/)
  assert.ok(judge.judge(3, 61999))
  assert.equal(judge.judge(3, 62000), null)
  assert.ok(judge.judge(4, 63000))
})

test('a watchdog that was busy for over a second is degraded for a minute', () => {
  const turns = new LongTurns()
  assert.equal(turns.judge(999, 1000), null)
  assert.match(String(turns.judge(4400, 2000)), /took 4\.4 s/)
  assert.ok(turns.judge(0, 61999))
  assert.equal(turns.judge(0, 62000), null)
})
