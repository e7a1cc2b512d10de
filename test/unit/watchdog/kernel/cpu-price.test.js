'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { CpuPrice } = require('../../../../lib/watchdog/kernel/cpu-price')

/**
 * The price after two seconds in which a thread ran and waited for so long.
 * @param {{ ranMs?: number | null, waitedMs?: number | null, crowd?: number, quotaCpus?: number }} [machine]
 */
function priceOf ({ ranMs = 500, waitedMs = 0, crowd = 0.5, quotaCpus = Infinity } = {}) {
  let times = { cpuMs: ranMs === null ? null : 0, runQueueMs: waitedMs === null ? null : 0 }
  const price = new CpuPrice(() => times, () => crowd, quotaCpus)
  price.read(0)
  times = { cpuMs: ranMs, runQueueMs: waitedMs }
  return price.read(2000)
}

test('CPU time has its own price on a machine with CPUs to spare', () => {
  assert.equal(priceOf(), 1)
  assert.equal(priceOf({ ranMs: null, waitedMs: null }), 1)
})

test('a thread that waits as long as it runs needs twice the time', () => {
  assert.equal(priceOf({ waitedMs: 500 }), 2)
})

test('a single wait of a thread that hardly ran says nothing', () => {
  assert.equal(priceOf({ ranMs: 1, waitedMs: 10 }), 1)
})

test('a crowd makes CPU time dear for a thread that mostly sleeps', () => {
  assert.equal(priceOf({ ranMs: 2, crowd: 3 }), 3)
})

test('a quota of a fifth of a CPU makes it five times as dear', () => {
  assert.equal(priceOf({ quotaCpus: 0.2 }), 5)
})

test('there is no price before half a second of looks, and none of old ones', () => {
  const price = new CpuPrice(() => ({ cpuMs: 0, runQueueMs: 0 }), () => 1)
  assert.deepEqual([0, 400, 600, 10_000, 10_600].map((ms) => price.read(ms)), [null, null, 1, null, 1])
})

test('this machine has a price', () => {
  const price = new CpuPrice(() => ({ cpuMs: 0, runQueueMs: 0 }))
  price.read(0)
  assert.ok(Number(price.read(1000)) >= 1)
})
