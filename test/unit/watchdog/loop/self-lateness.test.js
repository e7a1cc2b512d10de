'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SelfLateness } = require('../../../../lib/watchdog/loop/self-lateness')

/** One whose times are told by the test: its own, the CPU time of the process, the main thread's wait for a CPU. */
function startLateness () {
  const own = { cpuMs: /** @type {number | null} */ (50), runQueueMs: /** @type {number | null} */ (7), reads: 0 }
  const all = { cpuMs: 900, queuedMs: 20 }
  const readOwn = () => {
    own.reads++
    return own
  }
  return { own, all, lateness: new SelfLateness(readOwn, () => all.queuedMs, () => all.cpuMs) }
}

test('a watchdog that was not let run counts as late, for as long as it was', () => {
  const { own, lateness } = startLateness()
  lateness.leave(50, 100)
  assert.equal(lateness.arrive(102), false)
  lateness.leave(102, 150)
  own.cpuMs = 50.3
  assert.equal(lateness.arrive(2150), true)
  assert.equal(lateness.within(0, 10000), 2000)
  assert.equal(lateness.within(1150, 1250), 100)
})

test('so does one that was stopped in the middle of a look', () => {
  const { own, lateness } = startLateness()
  lateness.arrive(1000)
  own.cpuMs = 51
  lateness.leave(3000, 3050)
  assert.equal(lateness.within(0, 10000), 2000)
})

test('a watchdog that was busy itself is not late, and where nobody knows it is', () => {
  const { own, lateness } = startLateness()
  lateness.leave(50, 100)
  own.cpuMs = 240
  assert.equal(lateness.arrive(300), false)
  own.cpuMs = 430
  lateness.leave(500, 550)
  assert.equal(lateness.within(0, 1000), 0)
  own.cpuMs = null
  assert.equal(lateness.arrive(800), true)
  lateness.leave(800, 850)
  assert.equal(lateness.arrive(1100), true)
})

test('a process that was not stopped is late, but has no gap: others took the CPU, one of its threads ran, or the main thread waited', () => {
  for (const differences of [{ runQueueMs: 150 }, { processMs: 100 }, { queuedMs: 60, processMs: 40 }]) {
    const { own, all, lateness } = startLateness()
    lateness.leave(50, 100)
    own.runQueueMs = differences.runQueueMs ?? 7
    all.cpuMs += differences.processMs ?? 0
    all.queuedMs += differences.queuedMs ?? 0
    assert.equal(lateness.arrive(300), true)
    assert.equal(lateness.within(0, 1000), 0, JSON.stringify(differences))
  }
})

test('what the process ran for before a poll was due is not held against a stop', () => {
  const { all, lateness } = startLateness()
  lateness.leave(50, 100)
  all.cpuMs += 52
  assert.equal(lateness.arrive(300), true)
  assert.equal(lateness.within(0, 1000), 200)
})

test('the first look of all is never late', () => {
  assert.equal(startLateness().lateness.arrive(1e9), false)
})

test('the CPU time is read four times per second where nothing is late', () => {
  const { own, lateness } = startLateness()
  for (let now = 1000; now < 6000; now += 50) {
    assert.equal(lateness.arrive(now), false)
    lateness.leave(now, now + 50)
  }
  assert.equal(own.reads, 20)
})

test('the longest turn of the watchdog itself is measured, without waits for a CPU and stops of the process', () => {
  const { own, lateness } = startLateness()
  lateness.leave(50, 100)
  own.cpuMs = 1450
  lateness.arrive(1600)
  lateness.leave(1600, 1650)
  lateness.arrive(9000)
  assert.equal(lateness.takeLongestTurn(), 1500)
  assert.equal(lateness.takeLongestTurn(), 0)
})
