'use strict'

// runtime: shared memory between threads
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { DelayCounts, HALF_OCTAVES_MS } = require('../../../lib/bridge/delay-counts')
const { table } = require('../../../lib/tables/metrics')
const { seeded } = require('../../support/simulated-host')

const makeMemory = () => new SharedArrayBuffer(DelayCounts.BYTES)

test('delays are counted exactly, by the bounds of Prometheus and by those of the page', () => {
  const buckets = /** @type {number[]} */ (table.find(({ key }) => key === 'delay')?.buckets)
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed)
    const memory = makeMemory()
    const host = new DelayCounts(memory, 0)
    const boundsMs = seed % 2 === 0 ? buckets.map((seconds) => seconds * 1000) : HALF_OCTAVES_MS
    // Among them 0, each bound itself and what is beyond the last.
    const values = [0, ...boundsMs, 1e7, ...Array.from({ length: 500 }, () => 2 ** (random() * 25 - 4))]
    for (const value of values) host.record(value)
    const { upTo, count, sumMs } = new DelayCounts(memory, 0).read(boundsMs)
    assert.deepEqual(upTo, boundsMs.map((bound) => values.filter((value) => value <= bound).length), `seed ${seed}`)
    assert.equal(count, values.length)
    assert.equal(sumMs, values.reduce((sum, value) => sum + value, 0))
  }
})

test('a bound that nobody counts by is refused rather than answered with the wrong count', () => {
  assert.throws(() => new DelayCounts(makeMemory(), 0).read([1, 3]), { name: 'RangeError', message: 'no delays are counted by 3 ms' })
})

test('counts that are read while another thread counts never go back, and no bound is above the total', async (t) => {
  const memory = makeMemory()
  const worker = new Worker(`
    const { workerData } = require('node:worker_threads')
    const { DelayCounts } = require(workerData.file)
    const delays = new DelayCounts(workerData.memory, 0)
    for (let i = 0; ; i++) delays.record(i % 2000)
  `, { eval: true, workerData: { memory, file: require.resolve('../../../lib/bridge/delay-counts') } })
  t.after(() => worker.terminate())
  await once(worker, 'online')
  const delays = new DelayCounts(memory, 0)
  const boundsMs = [1, 10, 100, 1000]
  let before = delays.read(boundsMs)
  const deadline = performance.now() + 20000
  for (let changes = 0; changes < 200;) {
    assert.ok(performance.now() < deadline, `the thread counted ${before.count}`)
    const after = delays.read(boundsMs)
    assert.ok(
      after.upTo.every((value, i) => value >= before.upTo[i] && value <= after.count),
      JSON.stringify([before, after])
    )
    assert.ok(after.count >= before.count && after.sumMs >= before.sumMs)
    if (after.count > before.count) changes++
    before = after
  }
})
