'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockBuilder } = require('../../../../lib/watchdog/loop/block-builder')

const surroundings = { gcWithin: () => 0, watchdogGapWithin: () => 0, thresholdMs: 50 }

/**
 * The evidence of a block from 1000 to 1200 on the CPU, of which the watchdog first looked `firstLookMs` after its
 * start.
 * @param {number} firstLookMs
 */
function charged (firstLookMs) {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: Math.min(atMs, 1200), runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const builder = new BlockBuilder({ thread: 'main', threadId: 0, beats: 1, before: at(1000 + firstLookMs), isDebugged: false, surroundings })
  builder.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: true, beats: 1 }, 1060)
  const { cause, evidence: { cpuMs, runQueueMs } } = builder.ended({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 }, at(1400))
  return { cause, cpuMs, runQueueMs }
}

test('a block that began before the watchdog was there is charged with what its end shows', () => {
  for (const firstLookMs of [-10, 0, 10, 100, 120]) assert.deepEqual(charged(firstLookMs).cpuMs, 200, `${firstLookMs} ms after its start`)
})

test('of one that had ended, or nearly, it is not known what it did', () => {
  for (const firstLookMs of [130, 199, 200, 350]) assert.deepEqual(charged(firstLookMs), { cause: 'unknown', cpuMs: null, runQueueMs: null }, `${firstLookMs} ms after its start`)
})

test('a block in progress starts when it is certain to have begun, an ended one when it did; its request keeps its own time', () => {
  const reading = { atMs: 900, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs: null }
  const builder = new BlockBuilder({ thread: 'main', threadId: 0, beats: 7, before: reading, isDebugged: false, surroundings })
  const beganAt = Date.now() - 160
  // The last beat came at 899, the next was due 100 ms later.
  builder.begin('1', { startMs: 1000, uncertaintyMs: 101, startup: false, beats: 7 }, 1060)
  const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 890, traceId: null, ended: false }
  builder.add(/** @type {any} */ ({ id: 1, beats: 7, atMs: 1050, askedAtMs: 1049, idleMs: 0, debugged: false, late: false, request, requestIsCertain: true, frames: [] }))
  const early = builder.ongoing(1060, null)
  const late = builder.ended({ endMs: 1100, durationMs: 200, uncertaintyMs: 90, busyMs: 200 }, { ...reading, atMs: 1101 })
  const sinceMs = (/** @type {{ startedAt: string } | null} */ of) => Date.parse(of?.startedAt ?? '') - beganAt
  assert.equal(early.durationMs, 60)
  assert.ok(Math.abs(sinceMs(early) - 100) <= 5, `in progress it starts ${sinceMs(early)} ms after it began`)
  assert.ok(Math.abs(sinceMs(late)) <= 5, `ended it starts ${sinceMs(late)} ms after it began`)
  assert.ok(Math.abs(sinceMs(late.request) + 10) <= 5, `its request starts ${sinceMs(late.request)} ms after it`)
  assert.equal(early.request?.startedAt, late.request?.startedAt)
})

test('a block is of the start-up until a request is seen in it', () => {
  const reading = { atMs: 900, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs: null }
  const builder = new BlockBuilder({ thread: 'main', threadId: 0, beats: 1, before: reading, isDebugged: false, surroundings })
  builder.begin('1', { startMs: 1000, uncertaintyMs: 1, startup: true, beats: 1 }, 1060)
  assert.equal(builder.ongoing(1060, null).startup, true)
  const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 990, traceId: null, ended: false }
  builder.add(/** @type {any} */ ({ id: 1, beats: 1, atMs: 1050, askedAtMs: 1049, idleMs: 0, debugged: false, late: false, request, requestIsCertain: true, frames: [] }))
  assert.equal(builder.ongoing(1060, null).startup, false)
})
