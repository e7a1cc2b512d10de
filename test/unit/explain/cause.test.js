'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { causeOfPart, causes } = require('../../../lib/tables/causes')
const { causeByProfile, table, verdictOf } = require('../../../lib/explain/cause')
const { partsOf } = require('../../../lib/explain/parts')
const { makeRecord } = require('../../support/record')
const { seeded } = require('../../support/simulated-host')

/** @typedef {import('../../../lib/explain/parts').Evidence} Evidence */

/** A block of 200 ms of the application's JavaScript, all on the CPU. */
const plain = {
  durationMs: 200,
  ongoing: false,
  thresholdMs: 50,
  busyMs: 200,
  cpuMs: 196,
  runQueueMs: 1,
  throttledMs: 0,
  stolenMs: 0,
  gcMs: 0,
  watchdogGapMs: 0,
  samples: 9,
  nativeMs: 0,
  runningMs: 190,
  requests: 1,
  topRequestShare: 1,
  longestRunMs: 190
}

/** What makes the row of that index in the decision table the first that holds. @type {Partial<Evidence>[]} */
const stories = [
  { requests: 12, topRequestShare: 0.1, longestRunMs: 0 }
]

/** What no row tells: the largest part does. @type {[Partial<Evidence>, string][]} */
const largest = [
  [{}, 'js'],
  [{ nativeMs: 190, samples: 1, runningMs: 0 }, 'native'],
  [{ gcMs: 90, nativeMs: 140, runningMs: 50 }, 'gc'],
  [{ gcMs: 150, runningMs: 30 }, 'gc'],
  [{ cpuMs: 2, nativeMs: 195, samples: 1, runningMs: 0 }, 'sync-io'],
  [{ runQueueMs: 120, cpuMs: 20, runningMs: 0 }, 'starved'],
  [{ runQueueMs: 160, cpuMs: 38, runningMs: 30 }, 'starved'],
  [{ watchdogGapMs: 190, cpuMs: 3, runQueueMs: 0, samples: 0, runningMs: 0 }, 'suspended'],
  [{ busyMs: 4, cpuMs: 2, samples: 0, runningMs: 0 }, 'unknown'],
  [{ cpuMs: 20 }, 'unknown'],
  [{ samples: 0, runningMs: 0 }, 'unknown']
]

/** @param {Partial<Evidence>} story */
const whole = (story) => ({ ...plain, ...story })
/** @param {Partial<Evidence>} story */
const causeIn = (story) => verdictOf(whole(story), partsOf(whole(story))).cause
/** @param {Partial<Evidence>} story */
const rowOf = (story) => table.findIndex((row) => row.test(whole(story), partsOf(whole(story))))

test('every row of the decision table is reached by some block, and every cause by a row or as the largest part', () => {
  assert.equal(stories.length, table.length, '`stories` has one entry for each row of the decision table, in its order')
  stories.forEach((story, i) => {
    assert.equal(rowOf(story), i, `${table[i].cause}, ${table[i].when}`)
    assert.equal(causeIn(story), table[i].cause)
  })
  for (const [story, cause] of largest) {
    assert.deepEqual([rowOf(story), causeIn(story)], [-1, cause], JSON.stringify(story))
  }
  const reached = new Set([...table.map(({ cause }) => cause), ...Object.values(causeOfPart)])
  assert.deepEqual(reached, new Set(Object.keys(causes)), 'a cause without a row in the decision table of lib/explain/cause.js and without a part')
})

test('a pause of the collector keeps an answer, which makes no native call of it', () => {
  assert.equal(causeIn({ nativeMs: 110, gcMs: 0 }), 'native')
  assert.equal(causeIn({ nativeMs: 110, gcMs: 80 }), 'js')
  assert.equal(causeIn({ nativeMs: 195, gcMs: 60 }), 'native')
})

test('a thread that answers and does not run, though nothing keeps a CPU from it, is held by something unknown', () => {
  assert.equal(causeIn({ cpuMs: 20 }), 'unknown')
  assert.equal(causeIn({ cpuMs: 100 }), 'js')
  assert.equal(causeIn({ cpuMs: 70 }), 'unknown')
  assert.equal(causeIn({ cpuMs: 70, runQueueMs: 61 }), 'js')
  assert.equal(causeIn({ cpuMs: 20, runQueueMs: 175 }), 'starved')
  assert.equal(causeIn({ cpuMs: 20, gcMs: 150 }), 'gc')
  assert.equal(causeIn({ cpuMs: 20, runningMs: 100 }), 'sync-io')
  assert.equal(causeIn({ cpuMs: null }), 'js')
})

test('every way to be starved counts: run queue, with cgroup throttling in it or that alone, stolen time with them, a long block that hardly ran', () => {
  for (const story of [
    { runQueueMs: 160, throttledMs: 0, cpuMs: 39 },
    { runQueueMs: 160, throttledMs: 320, cpuMs: 39 },
    { runQueueMs: null, throttledMs: 160, cpuMs: 39 },
    { stolenMs: 160, cpuMs: 39 },
    { runQueueMs: 80, throttledMs: 0, stolenMs: 80, cpuMs: 39 },
    { durationMs: 2000, busyMs: 2000, runQueueMs: 1900, cpuMs: 40, runningMs: 25 }
  ]) assert.equal(causeIn(story), 'starved', JSON.stringify(story))
})

test('where two rows hold, the one that blames no code, or the rarer one, goes first', () => {
  /** @type {[Partial<Evidence>, string][]} */
  const both = [
    [{ watchdogGapMs: 200, cpuMs: 2, busyMs: 0 }, 'suspended'],
    [{ watchdogGapMs: 200, cpuMs: 2, requests: 5, topRequestShare: 0.2, longestRunMs: 0, nativeMs: 200, runningMs: 0 }, 'suspended'],
    [{ runQueueMs: 170, cpuMs: 20, busyMs: 10 }, 'starved'],
    [{ runQueueMs: 170, cpuMs: 20, watchdogGapMs: 200 }, 'starved'],
    [{ runQueueMs: 170, cpuMs: 20, gcMs: 150, nativeMs: 150 }, 'starved'],
    [{ runQueueMs: 155, cpuMs: 45, gcMs: 150 }, 'starved'],
    [{ runQueueMs: 95, cpuMs: 105, gcMs: 190 }, 'gc'],
    [{ watchdogGapMs: 200, cpuMs: 2, gcMs: 90 }, 'suspended'],
    [{ busyMs: 10, gcMs: 150 }, 'gc'],
    [{ gcMs: 150, cpuMs: 20, runningMs: 0 }, 'gc'],
    [{ gcMs: 150, nativeMs: 150, requests: 5, topRequestShare: 0.2, longestRunMs: 0 }, 'gc'],
    [{ cpuMs: 5, runningMs: 0, nativeMs: 150, requests: 5, topRequestShare: 0.2, longestRunMs: 0 }, 'sync-io'],
    [{ nativeMs: 150, runningMs: 50, requests: 5, topRequestShare: 0.2, longestRunMs: 0 }, 'many']
  ]
  for (const [story, cause] of both) assert.equal(causeIn(story), cause, JSON.stringify(story))
})

test('each verdict turns exactly at the bound that the table states', () => {
  const little = 0.1
  /** @type {[Partial<Evidence>, string, Partial<Evidence>, string][]} */
  const edges = [
    [{ gcMs: 100 }, 'gc', { gcMs: 100 - little, nativeMs: 149, samples: 3 }, 'gc'],
    // starved: longer than what the application did
    [{ runQueueMs: 100 + little, cpuMs: 100 - little }, 'starved', { runQueueMs: 100, cpuMs: 100 }, 'js'],
    // or 20% of waiting, and below the threshold without it
    [{ durationMs: 60, busyMs: 60, runQueueMs: 12, cpuMs: 48 }, 'starved', { durationMs: 60, busyMs: 60, runQueueMs: 12 - little, cpuMs: 48 }, 'js'],
    [{ thresholdMs: 120, runQueueMs: 80 + little, cpuMs: 119 }, 'starved', { thresholdMs: 120, runQueueMs: 80, cpuMs: 120 }, 'js'],
    // while it lasts: half of it
    [{ ongoing: true, durationMs: 60, busyMs: 60, runQueueMs: 30, cpuMs: 30 }, 'starved', { ongoing: true, durationMs: 60, busyMs: 60, runQueueMs: 30 - little, cpuMs: 30 }, 'js'],
    [{ requests: 2, topRequestShare: 0.6 - little, longestRunMs: 0 }, 'many', { requests: 2, topRequestShare: 0.6, longestRunMs: 0 }, 'js'],
    [{ requests: 2, topRequestShare: 0.5, longestRunMs: 50 - little }, 'many', { requests: 2, topRequestShare: 0.5, longestRunMs: 50 }, 'js'],
    [{ requests: 2, topRequestShare: 0.5, longestRunMs: 0 }, 'many', { requests: 1, topRequestShare: 0.5, longestRunMs: 0 }, 'js'],
    [{ runQueueMs: 0, nativeMs: 100 }, 'native', { runQueueMs: 0, nativeMs: 100 - little }, 'js'],
    [{ runQueueMs: 0, cpuMs: 100, runningMs: 0 }, 'sync-io', { runQueueMs: 0, cpuMs: 100 + little, runningMs: 0 }, 'js'],
    [{ watchdogGapMs: 100, cpuMs: 0, runningMs: 0 }, 'suspended', { watchdogGapMs: 99 - little, cpuMs: 0, runningMs: 0 }, 'sync-io'],
    [{ samples: 1 }, 'js', { samples: 0 }, 'unknown']
  ]
  for (const [inside, cause, outside, other] of edges) {
    assert.equal(causeIn(inside), cause, JSON.stringify(inside))
    assert.equal(causeIn(outside), other, JSON.stringify(outside))
  }
})

const nothingTold = { cpuMs: null, runQueueMs: null, throttledMs: null }

test('a machine that does not tell CPU time gets js where samples were answered in time, and no guess beyond that', () => {
  assert.equal(causeIn(nothingTold), 'js')
  assert.equal(causeIn({ ...nothingTold, nativeMs: 190, samples: 1, runningMs: 0 }), 'unknown')
  assert.equal(causeIn({ ...nothingTold, samples: 0, runningMs: 0 }), 'unknown')
  assert.equal(causeIn({ ...nothingTold, gcMs: 150 }), 'gc')
  assert.equal(causeIn({ ...nothingTold, watchdogGapMs: 190, samples: 0, runningMs: 0 }), 'suspended')
})

test('where a thread tells its CPU time and the kernel nothing, js, native, sync-io and starved are told apart', () => {
  const told = { ...nothingTold, stolenMs: null, cpuMs: 196, machineIdleMs: 0 }
  /** @type {[Partial<Evidence>, string][]} */
  const blocks = [
    [{}, 'js'],
    [{ nativeMs: 190, samples: 1, runningMs: 0 }, 'native'],
    [{ cpuMs: 2, nativeMs: 195, samples: 1, runningMs: 0 }, 'sync-io'],
    [{ cpuMs: 2, runningMs: 0 }, 'sync-io'],
    [{ cpuMs: 2, samples: 0, runningMs: 0 }, 'unknown'],
    [{ cpuMs: 23 }, 'starved'],
    [{ cpuMs: 60 }, 'starved'],
    [{ cpuMs: 100 }, 'js'],
    [{ durationMs: 2000, busyMs: 2000, runningMs: 1950, cpuMs: 40 }, 'starved'],
    [{ durationMs: 2000, busyMs: 2000, runningMs: 1950, cpuMs: 970 }, 'js'],
    [{ durationMs: 60, busyMs: 60, runningMs: 55, cpuMs: 31 }, 'js'],
    [{ cpuMs: 40, watchdogGapMs: 150 }, 'suspended'],
    [{ cpuMs: 40, watchdogGapMs: 150, nativeMs: 150, samples: 1, runningMs: 0 }, 'suspended']
  ]
  for (const [story, cause] of blocks) assert.equal(causeIn({ ...told, ...story }), cause, JSON.stringify(story))
})

test('where others took the CPU often and the kernel does not tell for how long, nothing was stopped or asleep', () => {
  // As seen without /proc at a load of 7: a loop that answered six times, and others.
  const hidden = { ...nothingTold, stolenMs: null, machineIdleMs: null }
  const busy = { ...hidden, durationMs: 312, busyMs: 312, cpuMs: 80, preemptions: 26 }
  /** @type {[Partial<Evidence>, string, string][]} */
  const blocks = [
    [{ watchdogGapMs: 159, samples: 6, runningMs: 300, nativeMs: 11 }, 'starved', 'suspended'],
    [{ cpuMs: 160, watchdogGapMs: 140, samples: 6, runningMs: 300, nativeMs: 11 }, 'js', 'js'],
    [{ samples: 7, runningMs: 140, nativeMs: 160 }, 'starved', 'sync-io'],
    [{ cpuMs: 40, samples: 5, runningMs: 250, nativeMs: 60 }, 'starved', 'unknown'],
    [{ cpuMs: null, watchdogGapMs: 159, samples: 6, runningMs: 300, nativeMs: 11 }, 'js', 'suspended'],
    [{ cpuMs: null, watchdogGapMs: 159, samples: 0, runningMs: 0 }, 'unknown', 'suspended']
  ]
  for (const [story, cause, otherwise] of blocks) {
    assert.equal(causeIn({ ...busy, ...story }), cause, JSON.stringify(story))
    for (const preemptions of [3, 0, null]) {
      assert.equal(causeIn({ ...busy, ...story, preemptions }), otherwise, JSON.stringify(story))
    }
  }
  const stopped = { durationMs: 2000, busyMs: 2000, watchdogGapMs: 1900, samples: 2, runningMs: 2000, preemptions: 19 }
  assert.equal(causeIn({ ...busy, ...stopped }), 'suspended', 'it lost them before')
  // The watchdog may have lost them.
  assert.equal(causeIn({ ...busy, cpuMs: 6, samples: 11, runningMs: 0 }), 'sync-io')
  // A thread that sleeps lets others of the process lose a CPU now and then.
  assert.equal(causeIn({ ...busy, cpuMs: 5, samples: 1, runningMs: 0, nativeMs: 300, preemptions: 12 }), 'sync-io')
  assert.equal(causeIn({ ...busy, runQueueMs: 0, watchdogGapMs: 159, samples: 6, runningMs: 300 }), 'suspended', 'the kernel knows better')
})

test('nobody waits for a CPU while one idles: many short sleeps are not excused as starved', () => {
  const sleeps = { ...nothingTold, stolenMs: null, cpuMs: 15, runningMs: 190 }
  assert.equal(causeIn({ ...sleeps, machineIdleMs: 0 }), 'starved')
  assert.equal(causeIn({ ...sleeps, machineIdleMs: 150 }), 'unknown')
  assert.equal(causeIn({ ...sleeps, machineIdleMs: null }), 'unknown', 'not known')
  assert.equal(causeIn(sleeps), 'unknown')
  assert.equal(causeIn({ ...sleeps, runQueueMs: 0, machineIdleMs: 0 }), 'unknown', 'that it did not wait is known, and nothing says what it did')
})

/**
 * Evidence of a block as a kernel would give it: CPU time and waiting are parts of the whole.
 * @param {() => number} random
 * @returns {Evidence}
 */
function anyEvidence (random) {
  const some = (/** @type {number} */ most) =>
    [0, most, most / 2, random() * most, random() * most][Math.floor(random() * 5)]
  const maybe = (/** @type {number} */ value) => random() < 0.15 ? null : value
  const thresholdMs = 2 + random() * 500
  const durationMs = thresholdMs + random() ** 3 * 60000
  const cpuMs = some(durationMs)
  const runQueueMs = some(durationMs - cpuMs)
  const throttledMs = some(durationMs - cpuMs - runQueueMs)
  const stolenMs = some(durationMs - cpuMs - Math.max(runQueueMs, throttledMs))
  return {
    durationMs,
    ongoing: random() < 0.3,
    thresholdMs,
    busyMs: random() < 0.8 ? durationMs : some(durationMs),
    cpuMs: maybe(cpuMs),
    runQueueMs: maybe(runQueueMs),
    throttledMs: maybe(throttledMs),
    stolenMs: maybe(stolenMs),
    gcMs: some(durationMs),
    watchdogGapMs: some(durationMs),
    samples: Math.floor(some(100)),
    nativeMs: some(durationMs),
    runningMs: some(durationMs),
    requests: Math.floor(some(40)),
    topRequestShare: random(),
    longestRunMs: some(durationMs)
  }
}

/** Parts are rounded. */
const ROUNDED_MS = 0.5
/** Other blocks in each run; `SEED=21 node --test …` repeats those of one. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6))

test('of twenty thousand blocks of any kind each gets one known cause that its evidence allows', (t) => {
  t.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  /** @type {Map<string, number>} */
  const seen = new Map()
  for (let i = 0; i < 20000; i++) {
    const e = anyEvidence(random)
    const { cause } = verdictOf(e, partsOf(e))
    const what = `seed ${seed}, ${cause}: ${JSON.stringify(e)}`
    seen.set(cause, (seen.get(cause) ?? 0) + 1)
    assert.ok(Object.hasOwn(causes, cause), what)
    if (e.cpuMs === null) assert.ok(cause !== 'sync-io' && cause !== 'native', what)
    const unrunMs = e.cpuMs === null ? 0 : Math.max(0, e.runningMs - e.cpuMs)
    const waitMs = (e.runQueueMs ?? unrunMs) + (e.throttledMs ?? 0) + (e.stolenMs ?? 0)
    // The largest of three parts is at least a third: the others have two thirds at most.
    const hasOthers = waitMs + e.gcMs + e.watchdogGapMs > 0
    const mostMs = e.durationMs * 2 / 3 + ROUNDED_MS
    if (cause === 'js') assert.ok(e.samples > 0 && (e.nativeMs <= mostMs || hasOthers), what)
    if (cause === 'sync-io') assert.ok(Number(e.cpuMs) <= mostMs, what)
    // Nothing that ran for most of a block is hidden.
    const explained = e.cpuMs !== null && e.cpuMs > Math.max(e.thresholdMs, e.durationMs / 2) + ROUNDED_MS
    if (explained) assert.ok(cause !== 'starved' && cause !== 'suspended', what)
    if (cause === 'suspended') assert.ok(e.watchdogGapMs >= e.durationMs * 0.1 - ROUNDED_MS, what)
    const isMachines = ['starved', 'suspended'].includes(cause)
    if (isMachines) assert.ok(waitMs + e.watchdogGapMs >= e.durationMs * 0.2 - ROUNDED_MS, what)
  }
  for (const cause of Object.keys(causes)) assert.ok((seen.get(cause) ?? 0) >= 50, `${cause} came ${seen.get(cause) ?? 0} times`)
})

const NONE = { js: 0, native: 0, gc: 0, asleep: 0, waiting: 0, stopped: 0, unexplained: 0 }

test('a block that waited longest is the application\'s too if what it did alone reaches the threshold', () => {
  const verdictIn = (/** @type {Partial<Evidence>} */ story) => verdictOf(whole(story), partsOf(whole(story)))
  const waited = { durationMs: 800, busyMs: 800, runQueueMs: 640 }
  assert.deepEqual(verdictIn({ ...waited, cpuMs: 160 }), { cause: 'starved', excused: false })
  assert.deepEqual(verdictIn({ ...waited, runQueueMs: 755, cpuMs: 45 }), { cause: 'starved', excused: true })
  const unsampled = { ...waited, cpuMs: 100, samples: 0 }
  assert.deepEqual(verdictIn(unsampled), { cause: 'starved', excused: false }, 'no stack shows what ran')
  const stopped = { durationMs: 800, busyMs: 800, watchdogGapMs: 700, cpuMs: 98 }
  assert.deepEqual(verdictIn(stopped), { cause: 'suspended', excused: false })
  assert.deepEqual(verdictIn({}), { cause: 'js', excused: false })
})

test('samples between native calls move their share of js, and a single late answer all of it', () => {
  const made = makeRecord()
  const record = { ...made, cause: /** @type {const} */ ('js'), samples: 20, parts: { ...NONE, js: 600 } }
  const partsBy = (/** @type {object} */ seen, more = {}) => {
    const profile = { builtin: false, isOpen: false, betweenShare: 0, ...seen }
    const { parts } = causeByProfile({ ...record, ...more }, profile)
    return [parts?.js, parts?.native]
  }
  assert.deepEqual(partsBy({}), [600, 0])
  assert.deepEqual(partsBy({ betweenShare: 0.55 }), [270, 330])
  assert.deepEqual(partsBy({}, { samples: 1 }), [600, 0], 'a function of a package is no native call')
  assert.deepEqual(partsBy({ builtin: true }, { samples: 1 }), [0, 600])
})
