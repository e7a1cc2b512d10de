'use strict'

// How long a cgroup was out of quota, read seldom.
const test = require('node:test')
const assert = require('node:assert/strict')
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

test('an idle process reads its quota four times per second, not at every look', () => {
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
