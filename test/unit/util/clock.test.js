'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { between, nowMs } = require('../../../lib/util/clock')

test('a thread that is kept waiting while it compares its clock with the others is not behind them for good', () => {
  let atMs = 5000
  let readings = 0
  const shared = () => {
    const readMs = atMs
    atMs += ++readings % 3 === 0 ? 0.001 : 80
    return readMs
  }
  assert.ok(Math.abs(between(shared, () => atMs - 4000) - 4000) < 0.01)
})

test('the time is that of hrtime, in every thread', () => {
  const before = Number(process.hrtime.bigint()) / 1e6
  const now = nowMs()
  assert.ok(now >= before - 0.1 && now <= Number(process.hrtime.bigint()) / 1e6 + 0.1)
})
