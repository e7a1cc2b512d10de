'use strict'

// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const { ownsProfile } = require('../../../../../lib/host/runtime')
const { HostProfiler } = require('../../../../../lib/host/sense/profile/profiler')

test('a profile that no block needs is dropped after a second of work, but for one that is to be kept', (t) => {
  /** @type {any[]} */
  const sent = []
  const counters = { openWork: 0, hold: (/** @type {any[]} */ ...[,, step]) => step() }
  const profiler = new HostProfiler(/** @type {any} */ ({ counters }), { thresholdMs: 50, isOwn: ownsProfile() },
    (message) => sent.push(message))
  t.after(() => profiler.stop())
  let seconds = 0
  const work = () => profiler.beat(performance.now(), ++seconds * 1001)
  profiler.run('start')
  work()
  profiler.run('keep')
  assert.deepEqual(sent.map(({ action, isOn, taken }) => [action, isOn, taken]), [['start', true, null], ['keep', true, null]])
  work()
  assert.deepEqual([sent[2]?.action, sent[2]?.isOn], ['take', true])
  assert.ok(sent[2].taken.endMs > sent[2].taken.startMs)
  work()
  assert.equal(sent.length, 3, 'only that one')
})
