'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Incident } = require('../lib/watchdog/incident')

/** The evidence of a block from 1000 to 1200 on the CPU, of which the watchdog first looked `firstLookMs` after its start. @param {number} firstLookMs */
function charged (firstLookMs) {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: Math.min(atMs, 1200), runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const surroundings = { gcWithin: () => 0, watchdogGapWithin: () => 0, thresholdMs: 50 }
  const incident = new Incident({ thread: 'main', threadId: 0, beats: 1, before: at(1000 + firstLookMs), isDebugged: false, surroundings })
  incident.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: true, beats: 1 }, 1060)
  const { cause, evidence: { cpuMs, runQueueMs } } = incident.closed({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 }, at(1400))
  return { cause, cpuMs, runQueueMs }
}

test('a block that began before the watchdog was there is charged with what its end shows', () => {
  for (const firstLookMs of [-10, 0, 10, 100, 120]) assert.deepEqual(charged(firstLookMs).cpuMs, 200, `${firstLookMs} ms after its start`)
})

test('of one that had ended, or nearly, it is not known what it did', () => {
  for (const firstLookMs of [130, 199, 200, 350]) assert.deepEqual(charged(firstLookMs), { cause: 'unknown', cpuMs: null, runQueueMs: null }, `${firstLookMs} ms after its start`)
})
