'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { PoolIncident } = require('../../../../lib/watchdog/slow/pool-incident')
const { seeded } = require('../../../support/simulated-host')

test('a pool may be full when work waits in it for 200 ms, and has room again when a wait is short', () => {
  const pool = new PoolIncident()
  assert.equal(pool.see(0, 150, false), null)
  assert.deepEqual(pool.see(0, 210, false), { type: 'opened', startMs: 0, endMs: 210, longestMs: 210, looks: 1, fullUntilMs: 210 })
  assert.equal(pool.see(0, 460, false), null)
  assert.equal(pool.see(0, 900, true), null, 'the next one may wait as long')
  assert.equal(pool.see(1000, 1100, true), null)
  const ended = { type: 'ended', startMs: 0, endMs: 1100, longestMs: 900, looks: 2, fullUntilMs: 1100 }
  assert.deepEqual(pool.see(1250, 1252, true), ended, 'it was full until the last piece that waited was run')
  assert.equal(pool.current, null)
})

test('a wait that is known only after its end opens none: the watchdog may have been late', () => {
  const pool = new PoolIncident()
  assert.equal(pool.see(0, 5000, true), null)
  assert.equal(pool.current, null)
})

test('waits that come and go below 200 ms are not an incident, whatever their order', () => {
  const pool = new PoolIncident()
  const random = seeded(11)
  for (let i = 0; i < 1000; i++) {
    const waitedMs = 199 * random() ** 3
    assert.equal(pool.see(i * 250, i * 250 + waitedMs / 2, false), null)
    assert.equal(pool.see(i * 250, i * 250 + waitedMs, true), null)
  }
})

test('a pool that is full now and then has an incident each time', () => {
  const pool = new PoolIncident()
  const random = seeded(12)
  const types = []
  for (let i = 0, now = 0; i < 20; i++, now += 1000) {
    const waitedMs = 300 + 500 * random()
    types.push(pool.see(now, now + 0.8 * waitedMs, false)?.type, pool.see(now, now + waitedMs, true)?.type)
    types.push(pool.see(now + 900, now + 900 + 5 * random(), true)?.type)
  }
  assert.deepEqual(types.filter((type) => type !== undefined), Array.from({ length: 20 }, () => ['opened', 'ended']).flat())
})
