'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { BroadcastChannel } = require('node:worker_threads')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { CHANNEL, THREAD_STARTED } = require('../../../../lib/bridge/messages')
const { nowMs } = require('../../../../lib/util/clock')
const { startHeartbeat } = require('../../../../lib/host/sense/heartbeat')
const { inOrder } = require('../../../../lib/watchdog/sinks')
const { WorkerThreads } = require('../../../../lib/watchdog/workers/workers')
const { eventually } = require('../../../support/app')
const { foreignMemories } = require('../../../support/lib/foreign-memory')

/**
 * Worker threads that are told of by hand.
 * @param {import('node:test').TestContext} t
 * @param {boolean} [isAsked]
 */
function watchThreads (t, isAsked = true) {
  const seen = { excess: /** @type {any} */ (null), watched: 0, said: /** @type {string[]} */ ([]) }
  const threads = new WorkerThreads(/** @type {any} */ ({
    ownId: 1,
    isAsked,
    bridge: openBridge(createMemory()),
    // Nothing is a block here, however busy the machine.
    options: { threshold: 60000, resolution: 10, sample: 10, calmPeriod: 100 },
    shared: { throttling: { recent: () => 0, read: () => 0 }, machineSteal: { of: () => null } },
    watchdogGapWithin: () => 0,
    onNew: () => { seen.watched++ },
    onState: (/** @type {any} */ state) => { seen.excess = state },
    say: (/** @type {any[]} */ ...said) => { seen.said.push(said[2]) }
  }))
  threads.start({ known: [], labelOf: (name) => name, sinks: inOrder({}, () => {}) })
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
  threads.poll(nowMs(), false)
  assert.match(seen.excess.message, /there are 34/)
  bridge.counters.add('ended', 1)
  for (let i = 0; i < 2; i++) threads.poll(nowMs(), false)
  assert.match(seen.excess.message, /there are 33/)
})

test('the threads that a worker thread has started end with it, also where the system tells of none', async (t) => {
  const { threads, seen, hear } = watchThreads(t)
  const tell = (/** @type {number} */ threadId, /** @type {number} */ by) =>
    hear(/** @type {any} */ ({ code: THREAD_STARTED, threadId, by }))
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
  test(`a thread whose copy of the package is of another version is left alone, and said once: its memory is ${what}`, async (t) => {
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
