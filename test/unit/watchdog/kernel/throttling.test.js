'use strict'

// How long a cgroup was out of quota: read seldom, and no block is charged with what was before it.
const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockBuilder } = require('../../../../lib/watchdog/loop/block-builder')
const { CALM_MS, LATELY_MS, Throttling } = require('../../../../lib/watchdog/kernel/throttling')

const LOOK_MS = 10

/**
 * A cgroup whose throttling is told at each end of it, as the kernel does.
 * @param {(nowMs: number) => number} throttledMs
 */
function makeCgroup (throttledMs) {
  let nowMs = 0
  let reads = 0
  const throttling = new Throttling(() => {
    reads++
    return throttledMs(nowMs)
  })
  const at = (/** @type {number} */ ms, /** @type {'recent' | 'read'} */ how) => {
    nowMs = ms
    return throttling[how](ms)
  }
  /** Looks of calm until then. @param {number} untilMs */
  const calm = (untilMs) => {
    let seen = null
    for (let ms = nowMs + LOOK_MS; ms <= untilMs; ms += LOOK_MS) seen = at(ms, 'recent')
    return seen
  }
  return { at, calm, take: () => reads, throttling }
}

test('an idle process reads its quota four times a second, not at every look', () => {
  const { calm, take } = makeCgroup(() => 42)
  assert.equal(calm(10_000), 42)
  assert.ok(take() <= 10_000 / CALM_MS + 1, `${take()}`)
  assert.ok(take() >= 10_000 / CALM_MS / 1.2, `${take()}`)
})

test('one look reads it once, whoever asks, and a look at a block reads it anew', () => {
  let throttledMs = 0
  const { at, take } = makeCgroup(() => throttledMs)
  at(1000, 'recent')
  at(1000, 'read')
  at(1000, 'recent')
  assert.equal(take(), 1)
  throttledMs = 30
  assert.equal(at(1010, 'recent'), 0)
  assert.equal(at(1020, 'read'), 30)
  assert.equal(take(), 2)
})

test('a cgroup that is throttled in every period is read at every look until two seconds without', () => {
  const { at, calm, take } = makeCgroup((nowMs) => 50 * Math.floor(Math.min(nowMs, 5000) / 100))
  calm(4990)
  assert.ok(take() > 4990 / LOOK_MS - CALM_MS / LOOK_MS - 1, `${take()}`)
  assert.equal(at(5000, 'recent'), 2500)
  calm(5000 + LATELY_MS)
  const before = take()
  calm(10_000)
  assert.ok(take() - before <= (5000 - LATELY_MS) / CALM_MS + 1, `${take() - before}`)
})

test('where it is not known it is null', () => {
  const throttling = new Throttling(() => null)
  assert.deepEqual([throttling.recent(0), throttling.read(100), throttling.recent(5000)], [null, null, null])
})

const surroundings = { gcWithin: () => 0, watchdogGapWithin: () => 0, thresholdMs: 50 }
const readingAt = (/** @type {number} */ atMs, /** @type {number | null} */ throttledMs) => ({ atMs, cpuMs: atMs, runQueueMs: 0, throttledMs, stolenMs: null })

/**
 * What a block from 1000 to 1200 is charged with.
 * @param {{ before: number | null, first: number | null, after: number | null }} throttledMs
 */
function charged ({ before, first, after }) {
  const builder = new BlockBuilder({ thread: 'main', threadId: 0, beats: 1, before: readingAt(990, before), isDebugged: false, surroundings })
  if (first !== null) builder.addReading(readingAt(1030, first))
  builder.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  const { cause, evidence } = builder.ended({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 }, readingAt(1200, after))
  return { cause, throttledMs: evidence.throttledMs }
}

test('a block is charged with the throttling within it, not with that of the quarter of a second before it', () => {
  assert.equal(charged({ before: 0, first: 200, after: 200 }).throttledMs, 30, 'all of it before the first look, which came 30 ms into the block')
  assert.notEqual(charged({ before: 0, first: 200, after: 200 }).cause, 'starved')
  assert.deepEqual(charged({ before: 0, first: 0, after: 170 }), { cause: 'starved', throttledMs: 170 })
  assert.equal(charged({ before: 100, first: 110, after: 150 }).throttledMs, 50)
  // Frozen with the watchdog: there was no look within it.
  assert.deepEqual(charged({ before: 0, first: null, after: 180 }), { cause: 'starved', throttledMs: 180 })
  assert.equal(charged({ before: null, first: null, after: null }).throttledMs, null)
})
