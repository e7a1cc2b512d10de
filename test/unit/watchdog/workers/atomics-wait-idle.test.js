'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AtomicsWaitIdle } = require('../../../../lib/watchdog/workers/atomics-wait-idle')

const beat = (beats = 5, atMs = 1000) => ({ beats, atMs, idleMs: 900, activeMs: 100, periodMs: 100 })
const reading = (/** @type {number} */ atMs, /** @type {number | null} */ cpuMs) => ({
  atMs,
  cpuMs,
  runQueueMs: 0,
  throttledMs: 0,
  stolenMs: null
})
const sampleOf = (/** @type {number} */ atMs, /** @type {string} */ name, /** @type {string | null} */ file) => ({
  atMs,
  askedAtMs: atMs,
  beats: 5,
  idleMs: 900,
  late: false,
  debugged: false,
  putAtMs: atMs,
  request: null,
  frames: [{ function: name, file, line: null, column: null }]
})

test('a thread found in Atomics.wait counts as idle until it keeps the CPU without a sleep', () => {
  let sleeps = 0
  const idleness = new AtomicsWaitIdle(() => sleeps)
  const poll = (/** @type {any} */ sample, /** @type {number} */ atMs, /** @type {number} */ cpuMs) =>
    idleness.adjust({ sample, reading: reading(atMs, cpuMs), beat: beat(), lateBeats: [] }).beat
  assert.equal(poll(null, 1100, 10).atMs, 1000)
  assert.equal(idleness.isOn, false)
  assert.equal(poll(sampleOf(1150, 'wait', null), 1151, 10).atMs, 1150)
  // Not run since: still there.
  assert.equal(poll(null, 1200, 10).atMs, 1200)
  const parked = poll(null, 1300, 10)
  assert.deepEqual([parked.atMs, parked.beats > 5, parked.doubtMs], [1300, true, 50])
  assert.ok(idleness.waitedMs >= 100)
  // A short task and back to sleep: a turn.
  sleeps++
  const turned = poll(null, 1350, 11)
  assert.deepEqual([turned.atMs, turned.beats > parked.beats], [1350, true])
  // A task that goes on and on: no beat comes.
  assert.equal(poll(null, 1400, 55).atMs, 1350)
  assert.equal(poll(null, 1500, 150).atMs, 1350)
  // Asked within it, it may sleep for a lock of ours.
  sleeps++
  assert.equal(poll(sampleOf(1510, 'task', '/srv/app/task.js'), 1511, 160).atMs, 1350)
  sleeps++
  assert.equal(poll(null, 1550, 180).atMs, 1350)
  // The loop turns: real beats count again.
  const real = idleness.adjust({ sample: null, reading: reading(1600, 200), beat: beat(6, 1590), lateBeats: [] })
  assert.deepEqual([real.beat.beats, real.beat.atMs, idleness.isOn], [6, 1590, false])
})

test('a gap that the loop reports after waiting begins where the waiting ended', () => {
  const idleness = new AtomicsWaitIdle(() => 0)
  idleness.adjust({ sample: sampleOf(1150, 'wait', null), reading: reading(1151, 10), beat: beat(), lateBeats: [] })
  const { beats } = idleness.adjust({ sample: null, reading: reading(5000, 10), beat: beat(), lateBeats: [] }).beat
  const { lateBeats } = idleness.adjust({
    sample: null,
    reading: reading(5300, 290),
    beat: beat(6, 5290),
    lateBeats: [{ startMs: 1000, endMs: 5290, idleMs: 0, periodMs: 100, beats: 5 }]
  })
  assert.deepEqual(lateBeats, [{ startMs: 5000, endMs: 5290, idleMs: 0, periodMs: 0, doubtMs: 50, beats, cpuMs: null }])
})

test('a function of the application called wait is no waiting', () => {
  const idleness = new AtomicsWaitIdle(() => 0)
  idleness.adjust({ sample: sampleOf(1150, 'wait', '/srv/app/wait.js'), reading: reading(1151, 10), beat: beat(), lateBeats: [] })
  assert.equal(idleness.isOn, false)
})

test('where sleeps are not counted, waiting is believed for a second and then asked for again', () => {
  const idleness = new AtomicsWaitIdle(() => null)
  const poll = (/** @type {number} */ atMs) =>
    idleness.adjust({ sample: null, reading: reading(atMs, null), beat: beat(), lateBeats: [] }).beat.atMs
  idleness.adjust({ sample: sampleOf(1150, 'wait', null), reading: reading(1151, null), beat: beat(), lateBeats: [] })
  assert.equal(poll(2100), 2100)
  assert.equal(poll(2200), 2100)
})
