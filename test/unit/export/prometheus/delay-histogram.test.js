'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createHistogram } = require('node:perf_hooks')
const { setTimeout: wait } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { DelayHistogram } = require('../../../../lib/export/prometheus/delay-histogram')
const { Delays } = require('../../../../lib/host/sense/delays')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { eventually } = require('../../../support/app')
const { seeded } = require('../../../support/simulated-host')

const NS_PER_MS = 1e6

/** @param {import('node:perf_hooks').RecordableHistogram} histogram */
function makeDelay (histogram) {
  const metric = new DelayHistogram({ name: 'delay_seconds', help: 'help', buckets: [0.001, 0.01, 0.1, 0.25, 0.5, 1, 10], histogram })
  return async () => {
    const { values } = await metric.get()
    const buckets = Object.fromEntries(values.filter(({ labels }) => 'le' in labels).map((/** @type {any} */ { labels, value }) => [labels.le, value]))
    return { buckets, sum: values[values.length - 2].value, count: values[values.length - 1].value }
  }
}

test('delays are counted exactly', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed)
    const histogram = createHistogram()
    const read = makeDelay(histogram)
    // Clear of the bounds by more than the histogram rounds to.
    const kinds = [0.0005, 0.004, 0.05, 0.2, 0.4, 0.8, 5, 20]
    const counts = kinds.map(() => Math.floor(random() ** 3 * 500) + (seed % 2))
    kinds.forEach((delayS, i) => {
      for (let k = 0; k < counts[i]; k++) histogram.record(Math.round(delayS * 1e9 * (1 + random() * 0.02)))
    })
    const total = counts.reduce((a, b) => a + b, 0)
    const { buckets, sum, count } = await read()
    let upTo = 0
    const expected = ['0.001', '0.01', '0.1', '0.25', '0.5', '1', '10'].map((le, i) => {
      upTo += counts[i]
      return [le, upTo]
    })
    assert.deepEqual(buckets, { ...Object.fromEntries(expected), '+Inf': total }, `seed ${seed}`)
    assert.equal(count, total)
    const exact = kinds.reduce((all, delayS, i) => all + delayS * counts[i], 0)
    assert.ok(Math.abs(sum - exact) < exact * 0.05 + total * 0.001, `seed ${seed}: ${sum} is not ${exact}`)
  }
})

test('no delays yet are zeros, and a punctual timer adds nothing', async () => {
  const histogram = createHistogram()
  const read = makeDelay(histogram)
  assert.deepEqual(await read(), { buckets: { 0.001: 0, 0.01: 0, 0.1: 0, 0.25: 0, 0.5: 0, 1: 0, 10: 0, '+Inf': 0 }, sum: 0, count: 0 })
  histogram.record(1)
  const { buckets, sum, count } = await read()
  assert.deepEqual([buckets['0.001'], count], [1, 1])
  assert.ok(sum < 1e-6, `${sum}`)
})

test('delays that come while they are read never take a bucket back', async () => {
  const histogram = createHistogram()
  for (let i = 0; i < 100; i++) histogram.record((i < 60 ? 0.5 : 80) * NS_PER_MS)
  let isGrowing = false
  // The other thread, which records on between two looks.
  const growing = {
    get count () { return histogram.count },
    get mean () { return histogram.mean },
    percentile (/** @type {number} */ percentile) {
      if (isGrowing) histogram.record(80 * NS_PER_MS)
      return histogram.percentile(percentile)
    }
  }
  const read = makeDelay(/** @type {any} */ (growing))
  const before = await read()
  assert.equal(before.buckets['0.001'], 60)
  isGrowing = true
  for (let i = 0; i < 5; i++) {
    const after = await read()
    for (const [le, value] of Object.entries(after.buckets)) assert.ok(value >= before.buckets[le] && value <= after.count, `${le}: ${value}`)
  }
})

test('a block of the event loop is in the histogram of delays with its duration', async (t) => {
  const options = { resolution: 10, calmPeriod: 10, threshold: 50 }
  const delays = new Delays(options)
  const heartbeat = startHeartbeat(openBridge(createMemory()), options, { delays })
  t.after(() => heartbeat.stop())
  const read = makeDelay(delays.histogram)
  await eventually(async () => (await read()).count >= 20, 'twenty heartbeats')
  const before = await read()
  const startedAt = performance.now()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const blockedS = (performance.now() - startedAt) / 1000
  await eventually(async () => (await read()).count > before.count, 'the heartbeat after the block')
  await wait(50)
  const after = await read()
  const slow = (/** @type {typeof after} */ { buckets, count }) => count - buckets['0.25']
  assert.ok(slow(after) > slow(before), `${JSON.stringify(before)} became ${JSON.stringify(after)}`)
  assert.ok(after.buckets['0.5'] > after.buckets['0.25'] || blockedS > 0.5, 'in the bucket above 0.25 s')
  assert.ok(after.sum - before.sum > 0.28, `only ${after.sum - before.sum} s`)
  // Those in calm count with nearly nothing, not with the heartbeat's period each.
  assert.ok(before.sum < before.count * 0.01 || before.buckets['0.01'] < before.count, `${before.count} heartbeats in calm gave ${before.sum} s`)
})

test('a busy second gives as many delays as a calm one, start-up gives none, a long block one', () => {
  const delays = new Delays({ calmPeriod: 25 })
  let atMs = 5000
  /** How many of the beats were recorded. @param {number} beats @param {number} periodMs @param {number} lateMs */
  const recorded = (beats, periodMs, lateMs) => {
    const before = delays.histogram.count
    for (let i = 0; i < beats; i++) delays.beat(atMs += periodMs + lateMs, lateMs)
    return delays.histogram.count - before
  }
  assert.equal(recorded(1, 10, 3000), 0, 'the first turn')
  assert.equal(recorded(400, 25, 0), 400)
  const busy = recorded(1000, 10, 0)
  assert.ok(busy >= 399 && busy <= 401, `${busy} of 400 periods`)
  assert.equal(delays.histogram.max, 1)
  assert.equal(recorded(1, 10, 2000), 1)
  assert.ok(Math.abs(delays.histogram.max / NS_PER_MS - 2000) < 4, `${delays.histogram.max}`)
  assert.ok(recorded(100, 10, 0) <= 42, 'what the block held up is not made up for')
  recorded(2, 25, -0.4)
  assert.equal(delays.histogram.exceeds, 0)
})
