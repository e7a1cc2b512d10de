'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BadRoutes } = require('../../../lib/watchdog/housekeeping')

test('a function for routes that fails is told, and trusted again after a minute without', () => {
  const judge = new BadRoutes()
  assert.equal(judge.judge(0, 1000), null)
  assert.match(String(judge.judge(3, 2000)), /option route/)
  assert.ok(judge.judge(3, 61999))
  assert.equal(judge.judge(3, 62000), null)
  assert.ok(judge.judge(4, 63000))
})
