'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SleepDetector } = require('../../../../lib/watchdog/threads/sleep-detector')

test('a thread whose beat is overdue waits if it sleeps, and is blocked if it runs or waits for a CPU', () => {
  const beat = { beats: 5, atMs: 1000, idleMs: 0, activeMs: 0, periodMs: 0 }
  /**
   * @param {number} ranMs of each 60 ms
   * @param {{ sleeps: number | null, isAsleep: boolean }} rest
   * @param {number} [more] sleeps from poll to poll @param {number} [stolenMs] of each 60 ms
   */
  const judge = (ranMs, rest, more = 0, stolenMs = 0) => {
    const detector = new SleepDetector(50, (atMs) => ({ ...rest, stolenMs: (atMs - 1000) * stolenMs / 60 }))
    for (let i = 0; i < 4; i++) {
      const reading = { atMs: 1000 + 60 * i, cpuMs: 10 + ranMs * i, runQueueMs: 0, throttledMs: 0, stolenMs: 0 }
      const { beat: seen } = detector.adjust({ sample: null, lateBeats: [], beat, reading })
      if (seen.beats !== beat.beats) return 'waits'
      if (rest.sleeps !== null) rest.sleeps += more
    }
    return 'blocked'
  }
  assert.equal(judge(0, { sleeps: 3, isAsleep: true }), 'waits')
  assert.equal(judge(10, { sleeps: 3, isAsleep: false }, 1), 'waits', 'short tasks')
  assert.equal(judge(58, { sleeps: 3, isAsleep: false }, 1), 'blocked', 'locks of the collector')
  assert.equal(judge(35, { sleeps: 3, isAsleep: false }, 1, 20), 'blocked', 'the hypervisor ran others')
  // Time in the run queue is accounted for only once it is over.
  assert.equal(judge(0, { sleeps: 3, isAsleep: false }), 'blocked')
  assert.equal(judge(0, { sleeps: null, isAsleep: true }), 'waits', 'nobody knows')
})

test('a thread that is no more did not sleep', () => {
  const detector = new SleepDetector(50, () => ({ sleeps: null, isAsleep: true, stolenMs: null }))
  const beat = { beats: 5, atMs: 1000, idleMs: 0, activeMs: 0, periodMs: 0 }
  const see = (/** @type {number} */ atMs, /** @type {number | null} */ cpuMs) => {
    const reading = { atMs, cpuMs, runQueueMs: cpuMs === null ? null : 0, throttledMs: 0, stolenMs: 0 }
    return detector.adjust({ sample: null, lateBeats: [], beat, reading })
  }
  see(1000, 10)
  see(1060, 70)
  assert.equal(see(1120, null).beat.beats, 5)
})

test('a thread first seen in the midst of a block has no sleep before that', () => {
  const detector = new SleepDetector(50, () => ({ sleeps: null, isAsleep: true, stolenMs: null }))
  const beat = { beats: 5, atMs: 1000, idleMs: 0, activeMs: 0, periodMs: 0 }
  const see = (/** @type {number} */ atMs) => {
    const reading = { atMs, cpuMs: atMs, runQueueMs: 0, throttledMs: 0, stolenMs: 0 }
    return detector.adjust({ sample: null, lateBeats: [], beat, reading })
  }
  assert.deepEqual([1300, 1360, 1420].map((atMs) => see(atMs).beat.atMs), [1000, 1000, 1000])
})
