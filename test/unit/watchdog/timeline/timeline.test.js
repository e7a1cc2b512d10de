'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { pack, packWork } = require('../../../../lib/bridge/request-row')
const { History, SECONDS } = require('../../../../lib/watchdog/page-feed/history')
const { SpanRing, RING_BYTES, Timeline } = require('../../../../lib/watchdog/timeline/timeline')

test('a ring keeps the latest, says since when it has all, and finds what overlaps a range', () => {
  const ring = new SpanRing(3)
  ring.add(7, 100, 50)
  assert.equal(ring.completeSinceMs, -Infinity)
  assert.deepEqual(ring.within(150, 200), [{ name: 7, startMs: 100, durationMs: 50, waitedMs: 0 }])
  assert.deepEqual([ring.within(151, 200), ring.within(0, 99)], [[], []])
  for (let i = 1; i <= 5; i++) ring.add(i, i * 1000, 10, 5)
  assert.deepEqual(ring.within(0, 1e9).map(({ name }) => name), [3, 4, 5])
  assert.equal(ring.completeSinceMs, 3010)
})

/** @param {number} nowMs */
function makeTimeline (nowMs) {
  const bridge = openBridge(createMemory())
  const history = new History(nowMs, { activeMs: 0, idleMs: 0 })
  return { bridge, history, timeline: new Timeline(bridge, history) }
}

test('requests, work, turns and pauses have their names; slow requests outlive a flood of short ones', () => {
  const { bridge, timeline } = makeTimeline(0)
  const get = pack(bridge.routes.numberOf('/orders/:id'), 'GET', 200)
  timeline.request(get, 10, 500, 100)
  for (let i = 0; i < 20000; i++) timeline.request(get, 1000 + i, 1, 0)
  timeline.request(pack(-1, 'POST', 0), 5, 20, 0)
  timeline.work(packWork(bridge.workNames.numberOf('email'), 'job'), 20, 30, 0)
  bridge.turns.push(40, 6, 0)
  timeline.pause(50, 2, 1)
  timeline.pause(60, 2, -1)
  const { requests, works, turns, pauses, completeSinceMs } = timeline.within(0, 900)
  assert.deepEqual(requests.map(({ name, status, waitedMs }) => [name, status, waitedMs]), [['GET /orders/:id', 200, 100], ['POST (other)', 'aborted', 0]])
  assert.deepEqual(works.map(({ name, kind }) => [name, kind]), [['email', 'job']])
  assert.deepEqual(turns.map(({ startMs, durationMs }) => [startMs, durationMs]), [[40, 6]])
  assert.deepEqual(pauses.map(({ name }) => name), ['major', 'other'])
  assert.ok(completeSinceMs > 1000)
})

test('counters come once per second, also those read on the spot, and of ten minutes only', () => {
  const { history, timeline } = makeTimeline(5000)
  for (let second = 1; second <= SECONDS + 100; second++) {
    history.endSecond(5000 + second * 1000, { activeMs: second * 250, idleMs: second * 750, inProgressMs: 0 }, [])
    timeline.endSecond(history.second)
  }
  const { counters } = timeline.within(0, Infinity)
  const utilization = counters.filter(({ name }) => name === 'loop utilization (%)')
  assert.equal(utilization.length, SECONDS - 1)
  assert.deepEqual(utilization[0].values, { utilization: 25 })
  const resident = counters.filter(({ name }) => name === 'resident memory (MB)')
  assert.equal(resident.length, SECONDS - 1)
  assert.ok(resident.every(({ values }) => Number(values.resident) > 10))
  assert.equal(timeline.within(600000, 601000).counters.filter(({ name }) => name === 'resident memory (MB)').length, 3)
})

test('the rings take less than a megabyte', () => {
  assert.ok(RING_BYTES < 1024 * 1024, `${RING_BYTES}`)
})
