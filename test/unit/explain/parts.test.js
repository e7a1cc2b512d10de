'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { verdictOf } = require('../../../lib/explain/cause')
const { partsOf } = require('../../../lib/explain/parts')
const { seeded } = require('../../support/simulated-host')

/** @typedef {import('../../../lib/explain/parts').Evidence} Evidence */
/** @typedef {import('../../../lib/types').BlockParts} BlockParts */

/** A second of the application's JavaScript, all on the CPU. @type {Evidence} */
const plain = {
  durationMs: 1000,
  ongoing: false,
  thresholdMs: 50,
  busyMs: 1000,
  cpuMs: 1000,
  runQueueMs: 0,
  throttledMs: 0,
  stolenMs: 0,
  gcMs: 0,
  watchdogGapMs: 0,
  samples: 40,
  nativeMs: 0,
  runningMs: 990,
  requests: 1,
  topRequestShare: 1,
  longestRunMs: 990
}
const hidden = { runQueueMs: null, throttledMs: null, stolenMs: null }
const late = { runningMs: 0, nativeMs: 990, samples: 1 }

/** @type {[what: string, Partial<Evidence>, Partial<BlockParts>, cause: string][]} */
const table = [
  ['JavaScript', {}, { js: 1000 }, 'js'],
  ['a native call', late, { native: 990, js: 10 }, 'native'],
  ['collections between JavaScript', { gcMs: 300 }, { gc: 300, js: 700 }, 'js'],
  ['a synchronous call', { ...late, cpuMs: 5 }, { asleep: 995, js: 5 }, 'sync-io'],
  ['computing, then a call that sleeps', { ...late, cpuMs: 400, nativeMs: 600, runningMs: 390 }, { js: 400, asleep: 600 }, 'sync-io'],
  ['two busy loops on one CPU', { cpuMs: 500, runQueueMs: 500 }, { js: 500, waiting: 500 }, 'js'],
  ['a native call beside a busy loop', { ...late, cpuMs: 500, runQueueMs: 500, nativeMs: 495 }, { native: 495, js: 5, waiting: 500 }, 'native'],
  ['a native call beside one, not over yet', { ...late, ongoing: true, samples: 0, cpuMs: 500, runQueueMs: 500, nativeMs: 1000 }, { native: 500, waiting: 500 }, 'native'],
  ['collections beside a busy loop, which wait as long', { cpuMs: 500, runQueueMs: 500, gcMs: 200 }, { js: 400, gc: 100, waiting: 500 }, 'js'],
  ['a container out of quota: cpu.stat sums the time of four CPUs', { cpuMs: 200, throttledMs: 3200, runQueueMs: 800 }, { js: 200, waiting: 800 }, 'starved'],
  ['a container out of quota that hardly ran', { cpuMs: 40, throttledMs: 960, runQueueMs: 960 }, { js: 40, waiting: 960 }, 'starved'],
  ['a native call in a container out of quota', { ...late, cpuMs: 200, throttledMs: 800, runQueueMs: 800, nativeMs: 190 }, { native: 190, js: 10, waiting: 800 }, 'starved'],
  ['asleep while a child uses up the quota', { ...late, cpuMs: 5, throttledMs: 700 }, { asleep: 995, js: 5 }, 'sync-io'],
  ['a container out of quota, no schedstat', { ...hidden, cpuMs: 200, throttledMs: 3200 }, { js: 200, waiting: 800 }, 'starved'],
  ['a hypervisor that runs others', { cpuMs: 300, runQueueMs: 300, stolenMs: 400 }, { js: 300, waiting: 700 }, 'starved'],
  ['SIGSTOP', { ...late, cpuMs: 2, watchdogGapMs: 995 }, { stopped: 995, js: 5 }, 'suspended'],
  ['SIGSTOP of a loop that computed', { cpuMs: 300, watchdogGapMs: 700 }, { stopped: 700, js: 300 }, 'suspended'],
  ['SIGSTOP of an idle loop', { busyMs: 2, cpuMs: 1, watchdogGapMs: 990, samples: 0, runningMs: 0 }, { stopped: 990, unexplained: 10 }, 'suspended'],
  ['SIGSTOP of a loop that also waited, for a small part of it', { durationMs: 17200, busyMs: 17200, cpuMs: 1000, runQueueMs: 14200, watchdogGapMs: 2010, runningMs: 15000 }, { js: 1000, waiting: 14200, stopped: 2000 }, 'starved'],
  ['SIGSTOP within a sleep, for less than half of it', { ...late, cpuMs: 5, watchdogGapMs: 310 }, { asleep: 685, js: 5, stopped: 310 }, 'sync-io'],
  ['a native call, then a sleep that answered', { cpuMs: 300, nativeMs: 300, nativeCpuMs: 295, gcCpuMs: 0, gcHeldMs: 0, runningMs: 0 }, { native: 295, js: 5, asleep: 700 }, 'sync-io'],
  ['a native call next to four busy loops: it ran for a quarter of the time in which it did not answer', { ...late, cpuMs: 240, runQueueMs: 760, nativeMs: 40, nativeCpuMs: 235, gcCpuMs: 0, gcHeldMs: 0 }, { native: 235, js: 5, waiting: 760 }, 'starved'],
  ['collections that mostly waited for a CPU', { cpuMs: 400, runQueueMs: 600, gcMs: 700, gcCpuMs: 100, gcHeldMs: 600 }, { js: 300, gc: 100, waiting: 600 }, 'starved'],
  ['a collection that waited for its helper threads', { cpuMs: 320, gcMs: 700, gcCpuMs: 20, gcHeldMs: 0, runningMs: 290 }, { js: 300, gc: 700 }, 'gc'],
  ['memory pressure: pages are read while JavaScript runs', { cpuMs: 150, nativeMs: 850, runningMs: 140 }, { js: 150, asleep: 850 }, 'sync-io'],
  ['memory pressure: collections that sleep for pages', { cpuMs: 300, gcMs: 800, nativeMs: 800, runningMs: 190 }, { gc: 800, js: 200 }, 'gc'],
  ['answers in time, though it hardly ran: held, or many short sleeps', { cpuMs: 100 }, { js: 100, asleep: 10, unexplained: 890 }, 'unknown'],
  ['woken late', { busyMs: 5, cpuMs: 3, samples: 0, runningMs: 0 }, { unexplained: 1000 }, 'unknown'],
  ['no stack', { samples: 0, runningMs: 0 }, { unexplained: 1000 }, 'unknown'],
  ['one tick of Windows less than it ran', { ...hidden, cpuMs: 985 }, { js: 1000 }, 'js'],
  ['no /proc, CPU time by the thread: asleep', { ...hidden, ...late, cpuMs: 5 }, { asleep: 995, js: 5 }, 'sync-io'],
  ['no /proc, CPU time by the thread, no answer: asleep or waiting', { ...hidden, cpuMs: 5, samples: 0, runningMs: 0 }, { unexplained: 1000 }, 'unknown'],
  ['no /proc, others take the CPU every 12 ms', { ...hidden, cpuMs: 500, preemptions: 40 }, { js: 500, waiting: 500 }, 'js'],
  ['no /proc, no CPU idles', { ...hidden, cpuMs: 474, machineIdleMs: 0 }, { js: 474, asleep: 10, waiting: 500, unexplained: 16 }, 'js'],
  ['no /proc and no CPU time', { ...hidden, cpuMs: null }, { js: 1000 }, 'js'],
  ['no /proc and no CPU time: a call', { ...hidden, ...late, cpuMs: null }, { js: 10, unexplained: 990 }, 'unknown'],
  ['no /proc and no CPU time: SIGSTOP', { ...hidden, ...late, cpuMs: null, watchdogGapMs: 990 }, { stopped: 990, js: 10 }, 'suspended']
]

for (const [what, differences, parts, cause] of table) {
  test(`parts of a block: ${what}`, () => {
    const evidence = { ...plain, ...differences }
    const all = partsOf(evidence)
    assert.deepEqual(Object.fromEntries(Object.entries(all).filter(([, ms]) => ms > 0)), parts)
    assert.equal(verdictOf(evidence, all).cause, cause)
  })
}

test('the parts of any block add up to its duration, as it is written, and none is negative', () => {
  const random = seeded(7)
  const some = () => [0, random() * 2000, null][Math.floor(random() * 3)]
  for (let i = 0; i < 5000; i++) {
    const durationMs = 50 + random() * 1500
    const times = { cpuMs: some(), runQueueMs: some(), throttledMs: some(), stolenMs: some(), machineIdleMs: some() }
    const seen = { gcMs: some() ?? 0, watchdogGapMs: some() ?? 0, nativeMs: some() ?? 0, runningMs: some() ?? 0 }
    const more = { durationMs, busyMs: durationMs, ongoing: random() < 0.3, samples: i % 4 }
    const all = partsOf({ ...plain, ...times, ...seen, ...more })
    const sum = Object.values(all).reduce((ms, each) => ms + each, 0)
    assert.ok(Object.values(all).every((ms) => ms >= 0 && ms <= durationMs + 0.1), JSON.stringify({ durationMs, all }))
    assert.equal(sum.toFixed(3), (Math.round(durationMs * 10) / 10).toFixed(3), JSON.stringify({ durationMs, all }))
  }
})
