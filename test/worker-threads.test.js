'use strict'

const { once } = require('node:events')
const test = require('node:test')
const assert = require('node:assert/strict')
const vm = require('node:vm')
const { BroadcastChannel, Worker } = require('node:worker_threads')
const { createMemory, openBridge } = require('../lib/bridge/bridge')
const { CHANNEL } = require('../lib/bridge/messages')
const { nowMs } = require('../lib/clock')
const { startHeartbeat } = require('../lib/host/heartbeat')
const { silenceMs } = require('../lib/silence')
const { Detector } = require('../lib/watchdog/detector')
const { Parking } = require('../lib/watchdog/parking')
const { ThreadAsker } = require('../lib/watchdog/thread-asker')
const { ThreadCount } = require('../lib/watchdog/thread-count')
const { ThreadDiscovery } = require('../lib/watchdog/thread-discovery')
const { ThreadReports } = require('../lib/watchdog/thread-reports')
const { ThreadTotals } = require('../lib/watchdog/thread-totals')
const { WorkerThreads } = require('../lib/watchdog/worker-threads')
const { mergeNewest } = require('../lib/store/memory')
const { parseExposition, valueOf } = require('./support/exposition')
const { eventually } = require('./support/app')
const { makeMetrics } = require('./support/metrics')
const { makeRecord } = require('./support/record')

const beat = (beats = 5, atMs = 1000) => ({ beats, atMs, idleMs: 900, activeMs: 100, periodMs: 100 })
const reading = (/** @type {number} */ atMs, /** @type {number | null} */ cpuMs) => ({ atMs, cpuMs, runQueueMs: 0, throttledMs: 0, stolenMs: null })
const sampleOf = (/** @type {number} */ atMs, /** @type {string} */ name, /** @type {string | null} */ file) => ({
  atMs, askedAtMs: atMs, beats: 5, idleMs: 900, late: false, debugged: false, relayedAtMs: atMs, request: null, frames: [{ function: name, file, line: null, column: null }]
})

test('a thread found in Atomics.wait counts as idle until it keeps the CPU without a sleep', () => {
  let sleeps = 0
  const parking = new Parking(() => sleeps)
  const look = (/** @type {any} */ sample, /** @type {number} */ atMs, /** @type {number} */ cpuMs) => parking.adjust({ sample, reading: reading(atMs, cpuMs), beat: beat(), gaps: [] }).beat
  assert.equal(look(null, 1100, 10).atMs, 1000)
  assert.equal(parking.isOn, false)
  assert.equal(look(sampleOf(1150, 'wait', null), 1151, 10).atMs, 1150)
  // Not run since: still there.
  assert.equal(look(null, 1200, 10).atMs, 1200)
  const parked = look(null, 1300, 10)
  assert.deepEqual([parked.atMs, parked.beats > 5, parked.doubtMs], [1300, true, 50])
  assert.ok(parking.parkedMs >= 100)
  // A short task and back to sleep: a turn.
  sleeps++
  const turned = look(null, 1350, 11)
  assert.deepEqual([turned.atMs, turned.beats > parked.beats], [1350, true])
  // A task that goes on and on: silence.
  assert.equal(look(null, 1400, 55).atMs, 1350)
  assert.equal(look(null, 1500, 150).atMs, 1350)
  // Asked within it, it may sleep for a lock of ours.
  sleeps++
  assert.equal(look(sampleOf(1510, 'task', '/srv/app/task.js'), 1511, 160).atMs, 1350)
  sleeps++
  assert.equal(look(null, 1550, 180).atMs, 1350)
  // The loop turns: real beats count again.
  const real = parking.adjust({ sample: null, reading: reading(1600, 200), beat: beat(6, 1590), gaps: [] })
  assert.deepEqual([real.beat.beats, real.beat.atMs, parking.isOn], [6, 1590, false])
})

test('a gap that the loop reports after waiting begins where the waiting ended', () => {
  const parking = new Parking(() => 0)
  parking.adjust({ sample: sampleOf(1150, 'wait', null), reading: reading(1151, 10), beat: beat(), gaps: [] })
  const { beats } = parking.adjust({ sample: null, reading: reading(5000, 10), beat: beat(), gaps: [] }).beat
  const { gaps } = parking.adjust({ sample: null, reading: reading(5300, 290), beat: beat(6, 5290), gaps: [{ startMs: 1000, endMs: 5290, idleMs: 0, periodMs: 100, beats: 5 }] })
  assert.deepEqual(gaps, [{ startMs: 5000, endMs: 5290, idleMs: 0, periodMs: 0, doubtMs: 50, beats }])
})

test('a function of the application called wait is no waiting', () => {
  const parking = new Parking(() => 0)
  parking.adjust({ sample: sampleOf(1150, 'wait', '/srv/app/wait.js'), reading: reading(1151, 10), beat: beat(), gaps: [] })
  assert.equal(parking.isOn, false)
})

test('where sleeps are not counted, waiting is believed for a second and then asked for again', () => {
  const parking = new Parking(() => null)
  const look = (/** @type {number} */ atMs) => parking.adjust({ sample: null, reading: reading(atMs, null), beat: beat(), gaps: [] }).beat.atMs
  parking.adjust({ sample: sampleOf(1150, 'wait', null), reading: reading(1151, null), beat: beat(), gaps: [] })
  assert.equal(look(2100), 2100)
  assert.equal(look(2200), 2100)
})

test('a calm thread is not suspected before its beat is half a threshold overdue; the main thread as ever', () => {
  assert.deepEqual([silenceMs(50, 100), silenceMs(50, 25), silenceMs(50, 10), silenceMs(2, 1)], [125, 50, 50, 2])
  const detector = new Detector({ thresholdMs: 50, resolutionMs: 10 })
  const look = (/** @type {number} */ nowMs) => detector.look({ nowMs, beat: beat(5, 1000), gaps: [], idleMs: null, selfLate: false })
  assert.equal(look(1110).suspicious, false)
  assert.equal(look(1110).wakeAtMs, 1126)
  assert.equal(look(1126).suspicious, true)
  assert.deepEqual(look(1152).events.map(({ type }) => type), ['open'])
})

/** @param {{ relays: number, micros?: number, mayAsk?: boolean }} state */
function makeAsker (state) {
  /** @type {number[][]} */
  const posted = []
  const asker = new ThreadAsker({
    options: { threshold: 50, resolution: 10, calmPeriod: 100 },
    relays: () => state.relays,
    relayMicros: () => state.micros ?? 0,
    mayAsk: () => state.mayAsk ?? true,
    ask: ({ threadIds }) => {
      posted.push(threadIds)
      return null
    }
  })
  return { asker, posted }
}

test('threads that are due are asked in one go, in bursts of ten and then once a second', () => {
  const state = { relays: 0 }
  const { asker, posted } = makeAsker(state)
  for (let nowMs = 0; nowMs < 60000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.ask(2)
    asker.close(nowMs)
    if (posted.length > state.relays) state.relays++
  }
  assert.ok(posted.length >= 60 && posted.length <= 71, `${posted.length}`)
  assert.deepEqual(posted[0], [1, 2])
})

test('a question that takes the main thread long is not repeated before a hundred times that', () => {
  const state = { relays: 0, micros: 0 }
  const { asker, posted } = makeAsker(state)
  for (let nowMs = 0; nowMs < 10000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.close(nowMs)
    if (posted.length > state.relays) {
      state.relays++
      state.micros += 20000
    }
  }
  assert.equal(posted.length, 5)
})

test('while the main thread has not passed a question on, none is added, until it is taken for lost', () => {
  const { asker, posted } = makeAsker({ relays: 0 })
  for (let nowMs = 0; nowMs < 9000; nowMs += 10) {
    asker.open(nowMs)
    asker.ask(1)
    asker.close(nowMs)
  }
  assert.equal(posted.length, 1)
  assert.equal(asker.isHeldUp, true)
  assert.equal(asker.install([2], false, 9500), 0)
  assert.equal(asker.install([2], false, 10500), 1)
})

test('a few threads are asked in one go, one to load at an interrupt, and each has its turn', () => {
  const state = { relays: 0, mayAsk: true }
  const { asker, posted } = makeAsker(state)
  const due = [1, 2, 3, 4, 5, 6]
  for (let nowMs = 0; nowMs < 300; nowMs += 10) {
    asker.open(nowMs)
    for (const threadId of due) asker.ask(threadId)
    asker.close(nowMs)
    state.relays = posted.length
  }
  assert.deepEqual(posted.slice(0, 3), [[1, 2, 3, 4], [5, 6], [1, 2, 3, 4]])
  assert.equal(asker.install(due, false, 1000), 4)
  state.relays++
  assert.equal(asker.install(due, true, 1010), 0, 'too soon after the last')
  assert.equal(asker.install(due, true, 1100), 1)
  state.relays++
  state.mayAsk = false
  assert.equal(asker.install(due, true, 2000), 0)
})

test('above a number of threads for its CPUs none is asked; earlier ones are counted where the system tells them', () => {
  /** @type {number | null} */
  let tasks = 8
  const count = new ThreadCount({ cpus: 2, before: 40, tasks: () => tasks })
  for (let threadId = 41; threadId <= 48; threadId++) count.started(threadId)
  assert.equal(count.excess, null)
  count.started(49)
  assert.match(count.excess?.message ?? '', /there are 9, more than the 8/)
  count.ended(41)
  assert.equal(count.excess, null)
  count.seen(Array.from({ length: 12 }, (_, i) => 38 + i))
  assert.match(count.excess?.message ?? '', /there are 12/)
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
  assert.match(count.excess?.message ?? '', /there are 9/)

  const unknown = new ThreadCount({ cpus: 2, before: 0, tasks: () => null })
  for (let threadId = 2; threadId <= 15; threadId++) unknown.started(threadId)
  unknown.recount()
  assert.match(unknown.excess?.message ?? '', /there are 14/)
  unknown.seen([1, 9, 14])
  assert.equal(unknown.excess, null, 'those below the youngest that lives, and do not, are gone')
})

test('a watched thread that is found to be gone counts no longer', async (t) => {
  /** @type {any} */
  let excess = null
  let isWatched = false
  const threads = new WorkerThreads(/** @type {any} */ ({
    ownId: 1,
    bridge: openBridge(createMemory()),
    // Nothing is a block here, however busy the machine.
    options: { threshold: 60000, resolution: 10, sample: 10, calmPeriod: 100 },
    labelOf: (/** @type {string} */ name) => name,
    kernel: { throttling: { glance: () => 0, read: () => 0 }, machineSteal: () => null },
    watchdogGapWithin: () => 0,
    onNew: () => { isWatched = true },
    onState: (/** @type {any} */ state) => { excess = state }
  }))
  const channel = new BroadcastChannel(CHANNEL)
  t.after(() => {
    channel.close()
    threads.stop()
  })
  // Too many on any machine, so that none is asked.
  for (let threadId = 1001; threadId <= 1034; threadId++) threads.started(threadId)
  const memory = createMemory()
  const bridge = openBridge(memory)
  const heartbeat = startHeartbeat(bridge, { resolution: 10, calmPeriod: 10, threshold: 60000 })
  t.after(() => heartbeat.stop())
  channel.postMessage({ memory, threadId: 1001, name: 'pool', tid: null })
  await eventually(() => isWatched, 'the thread')
  threads.look(nowMs(), false)
  assert.match(excess.message, /there are 34/)
  bridge.counters.add('ended', 1)
  for (let i = 0; i < 2; i++) threads.look(nowMs(), false)
  assert.match(excess.message, /there are 33/)
})

test('a thread loads what watches it in its own code or at its loop, never before Node.js has prepared it', () => {
  const calls = [false, true].map((isInterrupt) => {
    let expression = ''
    const asker = new ThreadAsker({ options: { threshold: 50, resolution: 10, calmPeriod: 100 }, relays: () => 0, relayMicros: () => 0, mayAsk: () => true, ask: (call) => { expression = call.expression; return null } })
    asker.install([1], isInterrupt, 0)
    return expression
  })
  /** @param {number} i which call @param {string} stack @param {{ parentPort?: object | null, lateMs?: number }} [state] */
  const loads = (i, stack, { parentPort = {}, lateMs = 0 } = {}) => {
    /** @type {string[]} */
    const seen = []
    /** @type {Record<string, object>} */
    const modules = {
      'node:worker_threads': { parentPort },
      'node:timers': { setImmediate: () => seen.push('at its loop') },
      'node:module': { createRequire: () => Object.assign(() => ({ install: () => seen.push('at once') }), { cache: {} }) }
    }
    const process = { getBuiltinModule: (/** @type {string} */ name) => modules[name], hrtime: { bigint: () => BigInt(lateMs * 1e6) } }
    vm.runInNewContext(`${calls[i]}(undefined, 0, '')`, { process, Error: class { stack = stack } })
    return seen
  }
  const nobody = 'Error\n    at <anonymous>:5:21\n    at <anonymous>:30:8'
  const node = `${nobody}\n    at evalScript (node:internal/process/execution:87:12)`
  const user = `${node}\n    at spin (/app/worker.js:3:9)`
  assert.deepEqual([nobody, node, user].map((stack) => loads(0, stack)), [['at its loop'], ['at its loop'], ['at its loop']])
  assert.deepEqual([nobody, node, user].map((stack) => loads(1, stack)), [['at its loop'], ['at its loop'], ['at once']])
  for (const stack of [nobody, user]) assert.deepEqual(loads(1, stack, { lateMs: 6 }), ['at its loop'])
  for (const i of [0, 1]) assert.deepEqual(loads(i, nobody, { parentPort: null }), [])
})

test('threads that are no more are not looked for, and those whose turn had not come keep their tries', async () => {
  /** @type {number[][]} */
  const installs = []
  let frozenMs = /** @type {number | null} */ (performance.now())
  const discovery = new ThreadDiscovery({
    nowMs: () => frozenMs ?? performance.now(),
    install: (threadIds) => {
      installs.push(threadIds)
      return 1
    }
  })
  // Due at one time, however long a busy machine takes for it.
  for (let threadId = 1; threadId <= 20; threadId++) discovery.add(threadId)
  frozenMs = null
  discovery.retain([3, 7, 15])
  await eventually(() => installs.length >= 4, 'four tries')
  discovery.stop()
  assert.deepEqual(installs[0], [3, 7, 15, 16, 17, 18, 19, 20])
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

test('outside of a look no thread is asked', () => {
  const { asker, posted } = makeAsker({ relays: 0 })
  assert.equal(asker.ask(1), false)
  asker.close(0)
  assert.deepEqual(posted, [])
})

test('a new thread is left alone at first, then let load at its loop, then interrupted; one that has ended is not touched', async () => {
  /** @type {{ threadIds: number[], isInterrupt: boolean }[]} */
  const installs = []
  const discovery = new ThreadDiscovery({
    nowMs: () => performance.now(),
    install: (threadIds, isInterrupt) => {
      installs.push({ threadIds, isInterrupt })
      return threadIds.length
    }
  })
  discovery.add(1)
  discovery.add(2)
  discovery.remove(2)
  await eventually(() => installs.length >= 3, 'three tries')
  discovery.remove(1)
  const { length } = installs
  assert.deepEqual(installs.slice(0, 3), [{ threadIds: [1], isInterrupt: false }, { threadIds: [1], isInterrupt: true }, { threadIds: [1], isInterrupt: true }])
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(installs.length, length)
  discovery.stop()
})

test('a thread that is asked anew while it runs no code of the application, or too late, loads at its next turn', async () => {
  for (const isInterrupt of [false, true]) {
    let expression = ''
    const ask = (/** @type {{ expression: string }} */ call) => { expression = call.expression; return null }
    new ThreadAsker({ options: { threshold: 50, resolution: 10, calmPeriod: 100 }, relays: () => 0, relayMicros: () => 0, mayAsk: () => true, ask }).install([1], isInterrupt, 0)
    // Asked at 0: too late to be interrupted.
    const worker = new Worker(`${expression}(undefined, 0, 'idle')
      setTimeout(() => require('node:worker_threads').parentPort.postMessage(typeof globalThis[Symbol.for('loopwatch.agent.1')]?.announce), 50)`, { eval: true })
    assert.deepEqual(await once(worker, 'message'), ['function'], `${isInterrupt}`)
    await worker.terminate()
  }
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
  const log = Object.fromEntries(['opened', 'lasting', 'closed'].map((event) => [event, ({ id }) => told.push(`${event} ${id}`)]))
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
