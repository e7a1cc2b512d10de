'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { MemoryUse, memoryOf, withHeap } = require('../../../../lib/watchdog/loop/memory-use')
const { garbageOf } = require('../../../../lib/util/memory-text')
const { HEAP_PROFILE, makeRecord } = require('../../../support/record')

const MB = 1024 * 1024
const system = {
  rssBytes: 300 * MB,
  cgroupBytes: 310 * MB,
  cgroupLimitBytes: 512 * MB,
  majorFaults: 7,
  memoryStallMs: 40.4,
  ioStallMs: null
}

/** @param {number[]} usedMb @param {number[]} [allocatedMb] one reading each 100 ms */
function heapOf (usedMb, allocatedMb) {
  let seen = null
  for (const [i, used] of usedMb.entries()) {
    const allocatedBytes = allocatedMb === undefined ? null : allocatedMb[i] * MB
    const heap = { usedBytes: used * MB, limitBytes: 256 * MB, externalBytes: 2 * MB, allocatedBytes }
    seen = withHeap(seen, heap, i * 100)
  }
  return seen
}

/** @param {import('../../../../lib/types').MemoryRecord} memory @param {'gc' | 'js'} [cause] */
const told = (memory, cause = 'gc') => garbageOf(makeRecord({ cause, evidence: { ...makeRecord().evidence, memory } }))

test('a heap of which collecting frees little is full, and something keeps memory', () => {
  const memory = memoryOf(heapOf([238, 243, 236, 240]), system, system, true)
  assert.equal(memory.isHeapFull, true)
  assert.equal(memory.heapUsedBytes, 243 * MB)
  assert.equal(memory.heapFreedBytes, 7 * MB)
  assert.equal(told(memory), 'the heap is 95% full (243 of 256 MB), and the collector frees only 3% of that: a leak, or a cache without a limit')
})

test('the message about a full heap names the function that allocated what stayed in use', () => {
  const memory = { ...memoryOf(heapOf([238, 243, 236, 240]), system, system, true), heapProfile: HEAP_PROFILE }
  assert.match(`${told(memory)}`, /: a leak, or a cache without a limit, 71% of the latest was allocated in addSession \(shop\/cache\.js:12\)$/)
})

test('the memory of a block has the latest heap profile', () => {
  const use = new MemoryUse({ read: () => null }, { read: () => system }, () => HEAP_PROFILE)
  assert.equal(use.record(true, false).heapProfile, HEAP_PROFILE)
  assert.equal('heapProfile' in new MemoryUse({ read: () => null }, { read: () => system }).record(true, false), false)
})

test('a heap that stays nearly full, but was not collected as a whole, may be full of garbage', () => {
  const memory = memoryOf(heapOf([238, 243, 236, 240]), system, system, false)
  assert.equal(memory.isHeapFull, false)
  assert.equal(told(memory), null)
})

test('a heap that was nearly full before a collection emptied it is not', () => {
  const memory = memoryOf(heapOf([190, 243, 60, 110]), system, system, true)
  assert.equal(memory.isHeapFull, false)
  assert.equal(memory.heapFreedBytes, 183 * MB)
  assert.equal(told(memory), null)
})

test('what was in use before the most does not count as freed', () => {
  assert.equal(memoryOf(heapOf([20, 200, 230]), system, system, true).heapFreedBytes, 0)
})

test('the rate is that of all that was allocated, if Node.js counts it', () => {
  const memory = memoryOf(heapOf([20, 30, 25], [1000, 1120, 1240]), system, system, true)
  assert.equal(memory.allocatedBytesPerSecond, 1200 * MB)
  assert.equal(told(memory), 'allocating 1.2 GB/s')
  assert.equal(told(memory, 'js'), null)
  assert.equal(memoryOf(heapOf([20], [1000]), system, system, true).allocatedBytesPerSecond, null)
  assert.equal(memoryOf(heapOf([20, 30]), system, system, true).allocatedBytesPerSecond, null)
})

test('counters of the system count from the first reading, and are null without one', () => {
  const grown = memoryOf(null, system, { ...system, majorFaults: 19, memoryStallMs: 61 }, true)
  assert.deepEqual([grown.majorFaults, grown.memoryStallMs, grown.ioStallMs], [12, 21, null])
  assert.equal(grown.rssBytes, 300 * MB)
  assert.equal('heapUsedBytes' in grown, false)
  assert.equal(memoryOf(null, null, system, true).majorFaults, null)
})
