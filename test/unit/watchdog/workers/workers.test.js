'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { BroadcastChannel } = require('node:worker_threads')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { CHANNEL, THREAD_STARTED } = require('../../../../lib/bridge/messages')
const { nowMs } = require('../../../../lib/util/clock')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { minBlockGapMs } = require('../../../../lib/bridge/beat')
const { Detector } = require('../../../../lib/watchdog/loop/detector')
const { ThreadCount } = require('../../../../lib/watchdog/workers/inspector-limit')
const { ThreadReports } = require('../../../../lib/watchdog/workers/sinks')
const { ThreadTotals } = require('../../../../lib/watchdog/workers/totals')
const { WorkerThreads } = require('../../../../lib/watchdog/workers/workers')
const { mergeNewest } = require('../../../../lib/store/memory')
const { parseExposition, valueOf } = require('../../../support/exposition')
const { eventually } = require('../../../support/app')
const { makeMetrics } = require('../../../support/metrics')
const { makeRecord } = require('../../../support/record')

const beat = (beats = 5, atMs = 1000) => ({ beats, atMs, idleMs: 900, activeMs: 100, periodMs: 100 })

test('a calm thread is not suspected before its beat is half a threshold overdue; the main thread as ever', () => {
  assert.deepEqual([minBlockGapMs(50, 100), minBlockGapMs(50, 25), minBlockGapMs(50, 10), minBlockGapMs(2, 1)], [125, 50, 50, 2])
  const detector = new Detector({ thresholdMs: 50, resolutionMs: 10 })
  const look = (/** @type {number} */ nowMs) => detector.look({ nowMs, beat: beat(5, 1000), gaps: [], idleMs: null, selfLate: false })
  assert.equal(look(1110).suspicious, false)
  assert.equal(look(1110).wakeAtMs, 1126)
  assert.equal(look(1126).suspicious, true)
  assert.deepEqual(look(1152).events.map(({ type }) => type), ['open'])
})

test('above a number of threads for its CPUs none is asked; earlier ones are counted where the system tells them', () => {
  /** @type {number | null} */
  let tasks = 8
  const count = new ThreadCount({ cpus: 2, before: 40, tasks: () => tasks })
  for (let threadId = 41; threadId <= 48; threadId++) count.started(threadId)
  assert.equal(count.excess, null)
  count.started(49)
  assert.match(/** @type {any} */ (count.excess)?.message ?? '', /there are 9, more than the 8/)
  count.ended(41)
  assert.equal(count.excess, null)
  count.seen(Array.from({ length: 12 }, (_, i) => 38 + i))
  assert.match(/** @type {any} */ (count.excess)?.message ?? '', /there are 12/)
  tasks = 8 + 8
  count.recount()
  assert.equal(count.excess, null)
  tasks = 308
  assert.match(new ThreadCount({ cpus: 64, before: 1000, tasks: () => tasks }).excess?.message ?? '', /there are 300, more than the 32/)
  tasks = null
  assert.equal(new ThreadCount({ cpus: 2, before: 1000, tasks: () => tasks }).excess, null, 'the first question tells')
})

test('threads whose end nobody told are not counted for ever', () => {
  let tasks = 8 + 14
  const count = new ThreadCount({ cpus: 2, before: 0, tasks: () => tasks })
  for (let threadId = 2; threadId <= 15; threadId++) count.started(threadId)
  count.recount()
  assert.match(count.excess?.message ?? '', /there are 14/)
  tasks = 8 + 3
  count.recount()
  assert.equal(count.excess, null, 'there are three')
  // The rest of them are told after all, while others begin.
  for (let threadId = 16; threadId <= 20; threadId++) count.started(threadId)
  for (let threadId = 2; threadId <= 12; threadId++) count.ended(threadId)
  assert.equal(count.excess, null, 'there are eight')
  count.started(21)
  assert.match(/** @type {any} */ (count.excess)?.message ?? '', /there are 9/)

  const unknown = new ThreadCount({ cpus: 2, before: 0, tasks: () => null })
  for (let threadId = 2; threadId <= 15; threadId++) unknown.started(threadId)
  unknown.recount()
  assert.match(unknown.excess?.message ?? '', /there are 14/)
  unknown.seen([1, 9, 14])
  assert.equal(unknown.excess, null, 'those below the youngest that lives, and do not, are gone')
})

/**
 * Worker threads that are told of by hand.
 * @param {import('node:test').TestContext} t
 * @param {boolean} [isAsked]
 */
function watchThreads (t, isAsked = true) {
  const seen = { excess: /** @type {any} */ (null), watched: 0 }
  const threads = new WorkerThreads(/** @type {any} */ ({
    ownId: 1,
    isAsked,
    known: [],
    bridge: openBridge(createMemory()),
    // Nothing is a block here, however busy the machine.
    options: { threshold: 60000, resolution: 10, sample: 10, calmPeriod: 100 },
    labelOf: (/** @type {string} */ name) => name,
    kernel: { throttling: { glance: () => 0, read: () => 0 }, machineSteal: () => null },
    watchdogGapWithin: () => 0,
    onNew: () => { seen.watched++ },
    onState: (/** @type {any} */ state) => { seen.excess = state }
  }))
  const channel = new BroadcastChannel(CHANNEL)
  t.after(() => {
    channel.close()
    threads.stop()
  })
  /** @param {{ memory: SharedArrayBuffer, threadId: number, name: string, tid: number | null }} hello */
  const hear = (hello) => channel.postMessage(hello)
  return { threads, seen, hear }
}

test('a watched thread that is found to be gone counts no longer', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  // Too many on any machine, so that none is asked.
  for (let threadId = 1001; threadId <= 1034; threadId++) threads.started(threadId)
  const memory = createMemory()
  const bridge = openBridge(memory)
  const heartbeat = startHeartbeat(bridge, { resolution: 10, calmPeriod: 10, threshold: 60000 })
  t.after(() => heartbeat.stop())
  hear({ memory, threadId: 1001, name: 'pool', tid: null })
  await eventually(() => seen.watched === 1, 'the thread')
  threads.look(nowMs(), false)
  assert.match(seen.excess.message, /there are 34/)
  bridge.counters.add('ended', 1)
  for (let i = 0; i < 2; i++) threads.look(nowMs(), false)
  assert.match(seen.excess.message, /there are 33/)
})

test('the threads that a worker thread has started end with it, also where the system tells of none', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  const tell = (/** @type {number} */ threadId, /** @type {number} */ by) => hear(/** @type {any} */ ({ code: THREAD_STARTED, threadId, by }))
  threads.started(1001)
  tell(1002, 1001)
  tell(1003, 1002)
  tell(1005, 1004)
  for (const [threadId, name] of /** @type {[number, string][]} */ ([[1003, 'below'], [1005, 'other']])) hear({ memory: createMemory(), threadId, name, tid: null })
  await eventually(() => seen.watched === 2, 'the threads')
  threads.ended(1001)
  // It was told of by another way, and is no more.
  tell(1006, 1001)
  hear({ memory: createMemory(), threadId: 1006, name: 'late', tid: null })
  hear({ memory: createMemory(), threadId: 1007, name: 'last', tid: null })
  await eventually(() => threads.states().has('last'), 'what came after it')
  assert.deepEqual([...threads.states()].map(([name, { count }]) => [name, count]), [['below', 0], ['other', 1], ['last', 1]])
})

test('a thread that is heard of only when its end was told is not watched', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  threads.started(1001)
  threads.ended(1001)
  hear({ memory: createMemory(), threadId: 1001, name: 'late', tid: null })
  hear({ memory: createMemory(), threadId: 1002, name: 'living', tid: null })
  await eventually(() => threads.states().has('living'), 'the one that lives')
  assert.deepEqual([...threads.states().keys()], ['living'])
  assert.equal(seen.watched, 1)
})

test('a thread that was no more when it was heard of is let go at the first look', { skip: process.platform !== 'linux' }, async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  const tid = Number(fs.readFileSync('/proc/sys/kernel/pid_max', 'utf8')) // the smallest that no thread has
  for (const [i, name] of ['gone', 'living'].entries()) {
    const memory = createMemory()
    openBridge(memory).beat.write(nowMs(), 1, 1, 10)
    hear({ memory, threadId: 1001 + i, name, tid: name === 'gone' ? tid : process.pid })
  }
  await eventually(() => seen.watched === 2, 'both')
  threads.look(nowMs(), false)
  assert.deepEqual(['gone', 'living'].map((name) => threads.states().get(name)?.count), [0, 1])
})

test('time in which a thread was kept by us is no block of the application', async () => {
  const bridge = openBridge(createMemory())
  const heartbeat = startHeartbeat(bridge, { resolution: 10, calmPeriod: 10, threshold: 50 })
  const hold = (/** @type {number} */ ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  await new Promise((resolve) => setTimeout(resolve, 100))
  bridge.lateBeats.drain()
  hold(500)
  bridge.counters.add('relayMicros', 500000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  hold(500)
  bridge.counters.add('relayMicros', 200000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  heartbeat.stop()
  const long = bridge.lateBeats.drain().map(([startMs, endMs]) => endMs - startMs).filter((gapMs) => gapMs > 200)
  assert.equal(long.length, 1)
  assert.ok(long[0] >= 290 && long[0] < 480, `${long}`)
})

test('threads of one name add up, ended ones stay in the totals, and of gauges the largest counts', () => {
  const totals = new ThreadTotals()
  const state = (/** @type {number} */ n) => ({ activeMs: n, idleMs: 10 * n, heartbeatAgeMs: n, inProgressMs: 2 * n, cpu: { user: n, system: 1 } })
  totals.end('pool', state(100))
  assert.deepEqual(totals.sum([{ label: 'pool', state: state(1) }, { label: 'pool', state: state(2) }, { label: 'other', state: state(3) }]), new Map([
    ['pool', { activeMs: 103, idleMs: 1030, heartbeatAgeMs: 2, inProgressMs: 4, cpu: { user: 103, system: 3 }, count: 2 }],
    ['other', { ...state(3), count: 1 }]
  ]))
  assert.deepEqual(totals.sum([]).get('pool'), { activeMs: 100, idleMs: 1000, heartbeatAgeMs: 0, inProgressMs: 0, cpu: { user: 100, system: 1 }, count: 0 })
})

test('names that every object has are names of threads like others', async () => {
  const names = ['constructor', 'toString', '__proto__']
  const totals = new ThreadTotals()
  const state = { activeMs: 1000, idleMs: 2000, heartbeatAgeMs: 1, inProgressMs: 0, cpu: { user: 1, system: 2 } }
  totals.end('__proto__', state)
  const { metrics } = makeMetrics({ threads: () => totals.sum(names.map((label) => ({ label, state }))) })
  const { samples } = parseExposition(await metrics.render())
  const seconds = names.map((thread) => valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread, state: 'active' }))
  assert.deepEqual(seconds, [1, 1, 2])
})

test('a block of a worker that nobody has seen inside is filed and logged when it is certain, not before', () => {
  /** @type {string[]} */
  const told = []
  const log = Object.fromEntries(['opened', 'lasting', 'closed'].map((event) => [event, (/** @type {{ id: string }} */ { id }) => told.push(`${event} ${id}`)]))
  const reports = new ThreadReports({
    keep: 10,
    file: { append: ({ id, ongoing }) => told.push(`filed ${id} ${ongoing}`) },
    log: /** @type {any} */ (log),
    metrics: { observeBlock: () => {} },
    tell: () => {},
    onSettled: () => {}
  })
  const record = (/** @type {string} */ id, /** @type {boolean} */ ongoing, /** @type {number} */ samples) => makeRecord({ id, ongoing, samples, durationMs: 60 })
  reports.opened(record('none', true, 0))
  reports.lasting(record('none', true, 0))
  assert.equal(reports.memory.list().length, 1)
  reports.dropped(record('none', false, 0))
  assert.deepEqual([told, reports.memory.list()], [[], []])
  reports.opened(record('late', true, 0))
  reports.lasting(record('late', true, 1))
  reports.lasting(record('late', true, 2))
  reports.settled(record('late', false, 2))
  assert.deepEqual(told, ['filed late true', 'opened late', 'filed late true', 'lasting late', 'filed late false', 'closed late'])
})

test('records of two memories come newest first', () => {
  const at = (/** @type {string} */ startedAt) => makeRecord({ startedAt })
  assert.deepEqual(mergeNewest([at('5'), at('2')], [at('4'), at('1')]).map(({ startedAt }) => startedAt), ['5', '4', '2', '1'])
})

test('the twenty-first name of a worker thread is (other), in blocks as in times, and its blocks are nobody\'s route or site', async () => {
  /** @type {Map<string, any>} */
  const threads = new Map()
  const { metrics } = makeMetrics({ threads: () => threads })
  for (let i = 0; i < 25; i++) metrics.observeBlock(makeRecord({ thread: `worker ${i}`, threadId: i + 1 }))
  const pool = { activeMs: 5000, idleMs: 1000, heartbeatAgeMs: 10, inProgressMs: 0, cpu: { user: 1, system: 2 }, count: 1 }
  threads.set('pool', pool)
  const { samples } = parseExposition(await metrics.render())
  assert.equal(valueOf(samples, 'loopwatch_block_duration_seconds_count', { thread: '(other)' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_label_overflow_total', { label: 'thread' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread: 'pool', state: 'active' }), 5)
  assert.equal(valueOf(samples, 'loopwatch_thread_cpu_seconds_total', { thread: 'pool', mode: 'system' }), 2)
  assert.ok(!samples.some(({ name }) => /blocked_seconds_total|site_seconds_total/.test(name)))
  threads.set('pool', { ...pool, count: 0 })
  const after = parseExposition(await metrics.render()).samples
  assert.ok(!after.some(({ name, labels }) => name === 'loopwatch_eventloop_heartbeat_age_seconds' && labels.thread === 'pool'))
  assert.equal(valueOf(after, 'loopwatch_eventloop_time_seconds_total', { thread: 'pool', state: 'active' }), 5)
})
