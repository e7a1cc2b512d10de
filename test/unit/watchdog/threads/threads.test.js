'use strict'

// runtime: worker threads
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { BroadcastChannel } = require('node:worker_threads')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { CHANNEL } = require('../../../../lib/bridge/messages')
const { nowMs } = require('../../../../lib/util/clock')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { FrameTable } = require('../../../../lib/explain/source/frame-table')
const { Explainer } = require('../../../../lib/watchdog/loop/explainer')
const { inOrder } = require('../../../../lib/watchdog/sinks')
const { WatchedThreads } = require('../../../../lib/watchdog/threads/threads')
const { eventually } = require('../../../support/app')
const { foreignMemories } = require('../../../support/lib/foreign-memory')

/**
 * Worker threads that are told of by hand.
 * @param {import('node:test').TestContext} t
 * @param {number} [threshold] nothing is a block unless it is given, however busy the machine
 */
function watchThreads (t, threshold = 60000) {
  const seen = {
    told: /** @type {[string, import('../../../../lib/types').BlockRecord][]} */ ([]),
    excess: /** @type {any} */ (null),
    watched: 0,
    said: /** @type {string[]} */ ([])
  }
  const told = {
    settled: (/** @type {any} */ record) => { seen.told.push(['settled', record]) },
    withdrawn: (/** @type {any} */ record) => { seen.told.push(['withdrawn', record]) }
  }
  let ids = 0
  const threads = new WatchedThreads(/** @type {any} */ ({
    options: { threshold, beatPeriod: 10, profile: 'off' },
    shared: { throttling: { recent: () => 0, read: () => 0 }, machineSteal: { of: () => null } },
    lateness: { within: () => 0 },
    sources: { code: { table: new FrameTable((frame) => frame), packageIn: () => null } },
    explainer: new Explainer({ set () {}, threw () {} }),
    nextId: () => `${++ids}`,
    onNew: () => { seen.watched++ },
    health: {
      set: (/** @type {string} */ reason, /** @type {any} */ state) => { seen.excess = state },
      say: (/** @type {any[]} */ ...said) => { seen.said.push(said[2]) }
    }
  }))
  threads.start({ threads: [], labelOf: (name) => name, sinks: inOrder({ told }, (sink, error) => { throw error }) })
  const channel = new BroadcastChannel(CHANNEL)
  t.after(() => {
    channel.close()
    threads.stop()
  })
  /** @param {{ memory: SharedArrayBuffer, threadId: number, name: string, tid: number | null }} hello */
  const hear = (hello) => channel.postMessage(hello)
  return { threads, seen, hear }
}

test('a watched thread that has ended counts no longer, and unwatched ones are reported', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  const memory = createMemory()
  const bridge = openBridge(memory)
  const heartbeat = startHeartbeat(bridge, { beatPeriod: 10, calmPeriod: 10, threshold: 60000 })
  t.after(() => heartbeat.stop())
  hear({ memory, threadId: 1001, name: 'pool', tid: null })
  for (const threadId of [1002, 1003]) threads.begun({ threadId })
  await eventually(() => seen.watched === 1, 'the thread')
  threads.poll(nowMs(), false)
  assert.equal(threads.states().get('pool')?.count, 1)
  assert.match(seen.excess.message, /^2 more than/)
  bridge.counters.add('ended', 1)
  for (const threadId of [1002, 1003]) threads.ended(threadId)
  for (let i = 0; i < 2; i++) threads.poll(nowMs(), false)
  assert.equal(threads.states().get('pool')?.count, 0)
  assert.equal(seen.excess, null)
})

test('a thread that is announced only after its end is not watched', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  threads.ended(1001)
  hear({ memory: createMemory(), threadId: 1001, name: 'late', tid: null })
  hear({ memory: createMemory(), threadId: 1002, name: 'living', tid: null })
  await eventually(() => threads.states().has('living'), 'the one that lives')
  assert.deepEqual([...threads.states().keys()], ['living'])
  assert.equal(seen.watched, 1)
})

test('a thread that was no more when it was heard of is let go at the first poll', { skip: process.platform !== 'linux' }, async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  const tid = Number(fs.readFileSync('/proc/sys/kernel/pid_max', 'utf8')) // the smallest that no thread has
  for (const [i, name] of ['gone', 'living'].entries()) {
    const memory = createMemory()
    openBridge(memory).beat.write(nowMs(), 1, 1, 10)
    hear({ memory, threadId: 1001 + i, name, tid: name === 'gone' ? tid : process.pid })
  }
  await eventually(() => seen.watched === 2, 'both')
  threads.poll(nowMs(), false)
  assert.deepEqual(['gone', 'living'].map((name) => threads.states().get(name)?.count), [0, 1])
})

for (const [what, make] of Object.entries(foreignMemories)) {
  test(`a thread whose copy of the package is of another version is not watched, which is logged once: its memory is ${what}`, async (t) => {
    const { threads, seen, hear } = watchThreads(t)
    const memory = make()
    const before = Buffer.from(new Uint8Array(memory))
    for (let i = 0; i < 3; i++) hear({ memory, threadId: 1001, name: 'other', tid: null })
    threads.begun(/** @type {any} */ ({ memory, threadId: 1002, name: 'seen', tid: null }))
    hear({ memory: createMemory(), threadId: 1003, name: 'ours', tid: null })
    await eventually(() => threads.states().has('ours'), 'what came after it')
    threads.poll(nowMs(), false)
    assert.deepEqual([...threads.states().keys()], ['ours'])
    assert.deepEqual(seen.said.map((each) => each.slice(0, each.indexOf(' has'))), ['worker thread 1002 (seen)', 'worker thread 1001 (other)'])
    assert.deepEqual(Buffer.from(new Uint8Array(memory)), before, 'nothing is written to it')
  })
}

for (const [ms, what] of /** @type {const} */ ([[150, 'withdrawn'], [600, 'settled']])) {
  test(`a thread that was busy for ${ms} ms until its end ${what === 'settled' ? 'was blocked, within the time that taking it apart takes' : 'may have been taken apart'}`, (t) => {
    const { threads, seen } = watchThreads(t, 50)
    const memory = createMemory()
    const { beat, counters } = openBridge(memory)
    counters.add('userMs', 1000)
    const beganMs = nowMs() - ms
    for (let i = 0; i < 2; i++) beat.write(beganMs, 0, 0, 10)
    threads.begun(/** @type {any} */ ({ memory, threadId: 1001, name: 'job', tid: null }))
    for (let now = beganMs; now < beganMs + ms; now++) {
      // It keeps a CPU all the time.
      counters.add('userMs', 1000 + Math.floor(now - beganMs) - counters.get('userMs'))
      threads.poll(now, false)
    }
    threads.ended(1001)
    assert.deepEqual(seen.told.map(([how]) => how), [what])
    const [[, { durationMs, uncertaintyMs }]] = seen.told
    assert.ok(durationMs <= ms && durationMs > ms - 100, `${durationMs}`)
    if (what === 'settled') assert.ok(uncertaintyMs >= 250 && uncertaintyMs < 300, `${uncertaintyMs}`)
  })
}

test('a block that has ended when its thread ends is one, however short', (t) => {
  const { threads, seen } = watchThreads(t, 50)
  const memory = createMemory()
  const { beat, lateBeats } = openBridge(memory)
  for (let i = 0; i < 2; i++) beat.write(nowMs() - 120, 0, 0, 10)
  threads.begun(/** @type {any} */ ({ memory, threadId: 1001, name: 'job', tid: null }))
  // The thread says so between the last poll and its end.
  const endMs = nowMs()
  lateBeats.push(endMs - 120, endMs, 0, 10, beat.beats)
  beat.write(endMs, 0, 120, 10)
  threads.ended(1001)
  assert.deepEqual(seen.told.map(([how, { durationMs }]) => [how, Math.round(durationMs / 10)]), [['settled', 12]])
})
