'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RequestTracking, QUIET_MS } = require('../../../../lib/watchdog/requests/request-tracking')

test('requests are followed from the first block on until it has been quiet for long', () => {
  /** @type {boolean[]} */
  const told = []
  /** @type {string[]} */
  const said = []
  const tracking = new RequestTracking((on) => told.push(on), (level, fields, message) => said.push(message))
  tracking.tick(5)
  tracking.settled(10)
  tracking.settled(1000)
  tracking.tick(999 + QUIET_MS)
  assert.deepEqual(told, [true])
  tracking.tick(1000 + QUIET_MS)
  tracking.tick(1001 + QUIET_MS)
  assert.deepEqual(told, [true, false])
  tracking.settled(2000 + QUIET_MS)
  assert.equal(said.length, 2)
  assert.match(said[0], /^request tracking is on/)
  assert.deepEqual(told, [true, false, true])
})

test('where following costs too much it pauses for an hour, which is logged once', () => {
  /** @type {boolean[]} */
  const told = []
  /** @type {any[]} */
  const said = []
  const say = (/** @type {any[]} */ ...line) => said.push(line)
  const tracking = new RequestTracking((on) => told.push(on), say)
  tracking.settled(10)
  tracking.tooCostly(20)
  tracking.tooCostly(30)
  assert.deepEqual(said.slice(1).map(([level, { event }]) => [level, event]), [['warn', 'requests_off']])
  for (let minute = 1; minute < 60; minute++) tracking.settled(minute * 60_000)
  assert.deepEqual(told, [true])
  tracking.settled(61 * 60_000)
  assert.deepEqual(told, [true, true])
})
