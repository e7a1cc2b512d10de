'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { openStats, ThreadStats } = require('../../../../lib/watchdog/kernel/thread-stats')
const { nowMs } = require('../../../../lib/util/clock')

const isLinux = process.platform === 'linux'
/** A thread id that this system never gives. */
const NO_TID = 2 ** 31 - 1
const BUSY_MS = 40

/** @param {number} ms */
function work (ms) {
  for (const untilMs = nowMs() + ms; nowMs() < untilMs;);
}

test('one class reads every thread: the main one, the calling one, and those of which only counters are known', { skip: !isLinux && 'Linux only' }, (t) => {
  const { shared, host: main, own: caller, close } = openStats()
  t.after(close)
  // The test runs on the main thread: both names are the same thread.
  const before = [main.times().cpuMs, caller.times().cpuMs]
  const grownMs = (/** @type {ThreadStats} */ stats, /** @type {number} */ i) =>
    (stats.read(nowMs()).cpuMs ?? 0) - (before[i] ?? 0)
  // The kernel counts in ticks of its own for each of the two ways to ask.
  for (let i = 0; i < 100 && [main, caller].some((stats, of) => grownMs(stats, of) < BUSY_MS / 2); i++) work(BUSY_MS)
  for (const [i, stats] of [main, caller].entries()) {
    const { cpuMs, runQueueMs } = stats.read(nowMs())
    assert.ok(cpuMs !== null && cpuMs - (before[i] ?? Infinity) >= BUSY_MS / 2, `${cpuMs} after ${before[i]}`)
    assert.ok(runQueueMs !== null && runQueueMs >= 0)
    assert.ok((stats.cpuSeconds()?.user ?? 0) > 0)
    assert.equal(stats.isGone, false)
  }
  assert.equal(typeof main.rest(0).sleeps, 'number')

  const counted = new ThreadStats(shared, null, { get: (slot) => slot === 'userMs' ? 300 : 20 })
  assert.equal(counted.read(5).cpuMs, 320)
  assert.deepEqual(counted.cpuSeconds(), { user: 0.3, system: 0.02 })
  assert.equal(counted.times().cpuMs, null, 'the kernel was not asked')
  assert.equal(counted.isGone, false)
  assert.equal(new ThreadStats(shared, NO_TID).isGone, true)
})

test('the idle time of the machine, and how often the process lost a CPU, are read only where the kernel keeps no run queue time', () => {
  const shared = {
    throttling: { recent: () => 1, read: () => 2, close () {} },
    machineSteal: { of: () => 3, close () {} }
  }
  const stats = new ThreadStats(shared, null, { get: () => 0 })
  const reading = { atMs: 1, cpuMs: null, throttledMs: null, stolenMs: null }
  assert.equal('machineIdleMs' in stats.precise({ ...reading, runQueueMs: 7 }), false)
  assert.equal(typeof stats.precise({ ...reading, runQueueMs: null }).machineIdleMs, 'number')
  assert.equal(typeof stats.read(1).preemptions, 'number')
  assert.equal(stats.precise({ ...reading, runQueueMs: 7 }).throttledMs, 2)
  assert.equal(stats.read(1).throttledMs, 1)
})
