'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Totals } = require('../../../../lib/watchdog/threads/totals')
const { parseExposition, valueOf } = require('../../../support/exposition')
const { makeMetrics } = require('../../../support/metrics')
const { makeRecord } = require('../../../support/record')

test('threads of one name add up, ended ones stay in the totals, and of gauges the largest counts', () => {
  const totals = new Totals()
  const state = (/** @type {number} */ n) => ({
    activeMs: n,
    idleMs: 10 * n,
    heartbeatAgeMs: n,
    inProgressMs: 2 * n,
    cpu: { user: n, system: 1 }
  })
  totals.end('pool', state(100))
  assert.deepEqual(totals.sum([{ label: 'pool', state: state(1) }, { label: 'pool', state: state(2) }, { label: 'other', state: state(3) }]), new Map([
    ['pool', { activeMs: 103, idleMs: 1030, heartbeatAgeMs: 2, inProgressMs: 4, cpu: { user: 103, system: 3 }, count: 2 }],
    ['other', { ...state(3), count: 1 }]
  ]))
  assert.deepEqual(totals.sum([]).get('pool'), { activeMs: 100, idleMs: 1000, heartbeatAgeMs: 0, inProgressMs: 0, cpu: { user: 100, system: 1 }, count: 0 })
})

test('names that every object has are names of threads like others', async () => {
  const names = ['constructor', 'toString', '__proto__']
  const totals = new Totals()
  const state = { activeMs: 1000, idleMs: 2000, heartbeatAgeMs: 1, inProgressMs: 0, cpu: { user: 1, system: 2 } }
  totals.end('__proto__', state)
  const { metrics } = makeMetrics({ threads: () => totals.sum(names.map((label) => ({ label, state }))) })
  const { samples } = parseExposition(await metrics.render())
  const seconds = names.map((thread) => valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread, state: 'active' }))
  assert.deepEqual(seconds, [1, 1, 2])
})

test('the twenty-first name of a worker thread is (other), in blocks as in times, and its blocks are nobody\'s route or site', async () => {
  /** @type {Map<string, any>} */
  const threads = new Map()
  const { metrics } = makeMetrics({ threads: () => threads })
  for (let i = 0; i < 25; i++) metrics.observeBlock(makeRecord({ thread: `worker ${i}`, threadId: i + 1 }))
  const pool = {
    activeMs: 5000,
    idleMs: 1000,
    heartbeatAgeMs: 10,
    inProgressMs: 0,
    cpu: { user: 1, system: 2 },
    count: 1
  }
  threads.set('pool', pool)
  const { samples } = parseExposition(await metrics.render())
  assert.equal(valueOf(samples, 'loopwatch_block_duration_seconds_count', { thread: '(other)' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_label_overflow_total', { label: 'thread' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread: 'pool', state: 'active' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_thread_cpu_seconds_total', { thread: 'pool', mode: 'system' }), 2)
  assert.ok(!samples.some(({ name }) => /loopwatch_(blocked|block_site)_seconds_total/.test(name)))
  threads.set('pool', { ...pool, count: 0 })
  const after = parseExposition(await metrics.render()).samples
  assert.ok(!after.some(({ name, labels }) => name === 'loopwatch_eventloop_heartbeat_age_seconds' && labels.thread === 'pool'))
  assert.equal(valueOf(after, 'loopwatch_eventloop_time_seconds_total', { thread: 'pool', state: 'active' }), 5)
})
