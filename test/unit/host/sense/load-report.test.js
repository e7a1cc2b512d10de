'use strict'

// runtime: the utilization of the loop
const test = require('node:test')
const assert = require('node:assert/strict')
const { start } = require('../../../../lib')
const { nowMs } = require('../../../../lib/util/clock')
const { LoadReport, noLoad } = require('../../../../lib/host/sense/load-report')
const { NoopAgent } = require('../../../../lib/host/noop-agent')

/** @param {{ overdueMs?: number, utilization?: number }} [load] */
const makeReport = ({ overdueMs = 0, utilization = 0 } = {}) =>
  new LoadReport({ overdueMs: () => overdueMs, utilization: () => utilization }, { poolDelayMs: 0, get: () => 0 })

test('quantiles of delays are those of the last second, and of all since the start to 1%', () => {
  const report = makeReport({ utilization: 0.25 })
  const now = nowMs()
  for (let i = 1; i <= 100; i++) report.record(now - 5000 + i, 1000 + i)
  for (let i = 1; i <= 100; i++) report.record(now - 100 + i / 2, i)
  const { lastSecond, sinceStart } = report.read()
  assert.deepEqual(lastSecond, { delayMs: { p50: 50, p99: 99, max: 100 }, utilization: 0.25 })
  const { p50, p99, max } = sinceStart.delayMs
  assert.ok(Math.abs(p50 - 100) <= 1, `${p50}`)
  assert.ok(Math.abs(p99 - 1098) <= 11, `${p99}`)
  assert.equal(max, 1100)
  assert.ok(sinceStart.utilization >= 0 && sinceStart.utilization <= 1, `${sinceStart.utilization}`)
})

test('the beat that is due is a delay of the last second before it comes', () => {
  const report = makeReport({ overdueMs: 700 })
  report.record(nowMs(), 1)
  assert.deepEqual(report.read().lastSecond.delayMs, { p50: 1, p99: 700, max: 700 })
  assert.equal(report.read().sinceStart.delayMs.max, 1)
})

test('zeros stand for what has not been measured, in a worker thread as well', () => {
  const report = makeReport()
  const { lastSecond, sinceStart } = report.read()
  assert.deepEqual([lastSecond, sinceStart.delayMs], [noLoad().lastSecond, noLoad().sinceStart.delayMs])
  assert.deepEqual(new NoopAgent().load(), noLoad())
})

test('agent.load() tells of a block while the timers that it holds up have not run, and later', async (t) => {
  const agent = start({ port: false, log: false, profile: 'off' })
  t.after(() => agent.stop())
  await agent.ready
  while (agent.load().sinceStart.delayMs.p50 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const during = agent.load()
  assert.ok(during.lastSecond.delayMs.max >= 250, JSON.stringify(during))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const after = agent.load()
  assert.ok(after.lastSecond.delayMs.max >= 250 && after.sinceStart.delayMs.max >= 250, JSON.stringify(after))
  assert.ok(after.lastSecond.delayMs.p50 <= after.lastSecond.delayMs.p99, JSON.stringify(after))
  // A second that has just begun may have been spent asleep.
  assert.ok(after.lastSecond.utilization >= 0 && after.lastSecond.utilization <= 1, JSON.stringify(after))
  assert.ok(after.sinceStart.utilization > 0 && after.sinceStart.utilization <= 1, JSON.stringify(after))
})
