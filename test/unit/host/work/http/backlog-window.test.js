'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BacklogWindow } = require('../../../../../lib/host/work/http/backlog-window')
const { eventually } = require('../../../../support/app')

const idleMs = () => performance.eventLoopUtilization().idle

test('what is read right after a late beat may have waited, unless its connection was answered since', () => {
  const backlog = new BacklogWindow()
  assert.equal(backlog.isOn(0, -Infinity), false)
  backlog.begin(1000, idleMs())
  assert.deepEqual([1000, 1050, 1100, 1101].map((nowMs) => backlog.isOn(nowMs, -Infinity)), [true, true, true, false])
  assert.deepEqual([900, 1000, 1001].map((answeredAtMs) => backlog.isOn(1002, answeredAtMs)), [true, true, false])
})

test('a loop that has slept since has read everything', async () => {
  const backlog = new BacklogWindow()
  const before = idleMs()
  backlog.begin(1000, before)
  await eventually(() => idleMs() - before > 5, 'the loop to sleep')
  assert.equal(backlog.isOn(1001, -Infinity), false)
  assert.equal(backlog.isOn(1001, -Infinity), false)
})
