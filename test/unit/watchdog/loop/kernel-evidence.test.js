'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { KernelEvidence } = require('../../../../lib/watchdog/loop/kernel-evidence')

/** @typedef {import('../../../../lib/watchdog/loop/kernel-evidence').Reading} Reading */

/** @param {number} atMs @param {Partial<Reading>} [counters] @returns {Reading} */
const reading = (atMs, counters) => ({
  atMs,
  cpuMs: null,
  runQueueMs: null,
  throttledMs: null,
  stolenMs: null,
  ...counters
})

/**
 * What the kernel says of a block from 1000 to 1300.
 * @param {Reading[]} readings the last one of calm, those within the block, and the first one of calm
 * @param {number | null} [ownCpuMs]
 */
function figures ([before, ...rest], ownCpuMs = null) {
  const after = /** @type {Reading} */ (rest.pop())
  const evidence = new KernelEvidence(before)
  for (const each of rest) evidence.add(each)
  return evidence.ended({ startMs: 1000, endMs: 1300, durationMs: 300 }, after, ownCpuMs)
}

/** @param {number} atMs @param {number} cpuMs */
const onCpu = (atMs, cpuMs) => reading(atMs, { cpuMs })

test('a counter that the kernel does not tell stays unknown', () => {
  assert.deepEqual(figures([reading(990), reading(1030), reading(1310)]), {
    cpuMs: null, runQueueMs: null, throttledMs: null, stolenMs: null, machineIdleMs: null, preemptions: null
  })
})

test('CPU time is that between the readings around a block, never more than the block', () => {
  assert.equal(figures([onCpu(900, 50), onCpu(1400, 170)]).cpuMs, 120)
  assert.equal(figures([onCpu(900, 50), onCpu(1400, 550)]).cpuMs, 300)
})

test('two readings that are far enough apart within a block outweigh those around it, and stand for all of it', () => {
  assert.equal(figures([onCpu(900, 0), onCpu(1100, 100), onCpu(1250, 175), onCpu(1400, 400)]).cpuMs, 150)
  assert.equal(figures([onCpu(900, 0), onCpu(1100, 100), onCpu(1150, 100), onCpu(1400, 240)]).cpuMs, 240, 'too near')
})

test('what the thread counted itself is taken where the kernel tells nothing', () => {
  assert.equal(figures([reading(990), reading(1310)], 70).cpuMs, 70)
  assert.equal(figures([onCpu(990, 0), onCpu(1310, 20)], 70).cpuMs, 20)
})

test('a watchdog that came late judges by the part that it saw, if that was enough', () => {
  assert.equal(figures([onCpu(1100, 0), onCpu(1400, 100)]).cpuMs, 150, 'two thirds, as if all of it was like them')
  assert.equal(figures([onCpu(1250, 0), onCpu(1400, 100)]).cpuMs, null)
})

test('throttling from before the first reading in a block is the block\'s for as long as it had lasted', () => {
  const throttled = (/** @type {number} */ atMs, /** @type {number} */ throttledMs) => reading(atMs, { throttledMs })
  assert.equal(figures([throttled(990, 0), throttled(1030, 200), throttled(1300, 260)]).throttledMs, 90)
  assert.equal(figures([throttled(990, 0), throttled(1030, 10), throttled(1300, 70)]).throttledMs, 70)
})

test('stolen time is no more than what nothing else explains, and unknown if it was first read late', () => {
  const stolen = (/** @type {number} */ atMs, /** @type {number} */ cpuMs, /** @type {number | null} */ stolenMs) =>
    reading(atMs, { cpuMs, runQueueMs: 0, stolenMs })
  assert.equal(figures([stolen(1000, 0, null), stolen(1060, 20, 500), stolen(1300, 100, 580)]).stolenMs, 100)
  assert.equal(figures([stolen(1000, 0, null), stolen(1060, 56, 500), stolen(1300, 280, 580)]).stolenMs, 20)
  assert.equal(figures([stolen(1000, 0, null), stolen(1200, 60, 500), stolen(1300, 100, 580)]).stolenMs, null)
})

/** @param {number} atMs @param {number} cpuMs @param {number} runQueueMs @param {boolean} [isRunnable] */
const counted = (atMs, cpuMs, runQueueMs, isRunnable = true) => reading(atMs, { cpuMs, runQueueMs, isRunnable })

/** @param {Reading[]} readings the last one of calm, and those within a block from 1000 on */
function soFar ([before, ...rest]) {
  const evidence = new KernelEvidence(before)
  for (const each of rest) evidence.add(each)
  const endMs = rest[rest.length - 1].atMs
  return evidence.ongoing({ startMs: 1000, endMs, durationMs: endMs - 1000 }, null).runQueueMs
}

test('a wait for a CPU counts while it is in progress, before the kernel has counted it', () => {
  assert.equal(soFar([counted(990, 5, 2), counted(1020, 5, 2), counted(1060, 5, 2)]), 60)
  assert.equal(soFar([counted(1000, 5, 2), counted(1020, 6, 10), counted(1060, 6, 10)]), 59, 'but for 1 ms of running')
})

test('a thread that sleeps, or runs until the next tick, does not wait for a CPU', () => {
  assert.equal(soFar([counted(990, 5, 2), counted(1020, 5, 2, false), counted(1060, 5, 2, false)]), 0)
  assert.equal(soFar([counted(990, 5, 2), counted(1020, 5, 2, false), counted(1060, 5, 2)]), 40, 'it was woken after that')
  assert.equal(soFar([counted(990, 5, 2), counted(1050, 57, 2), counted(1060, 65, 2)]), 0)
})
