'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FrameTable } = require('../../../../lib/explain/source/frame-table')
const { nowMs } = require('../../../../lib/util/clock')
const { HeapProfiling } = require('../../../../lib/watchdog/profile/heap-profiling')
const { makeRecord } = require('../../../support/record')

const callFrame = { functionName: 'addSession', url: '/srv/app/cache.js', lineNumber: 11, columnNumber: 0, scriptId: 1 }
/** All is of addSession. */
const TEXT = JSON.stringify({
  head: { callFrame: { ...callFrame, functionName: '(root)', url: '', lineNumber: -1 }, id: 1, children: [{ callFrame, id: 2, children: [] }] },
  samples: Array.from({ length: 50 }, (_, i) => ({ nodeId: 2, size: 1, ordinal: i }))
})
const SHARE = [{ function: 'addSession', file: '/srv/app/cache.js', line: 12, column: 1, share: 1 }]

const { evidence } = makeRecord()
/** @param {boolean} [isHeapFull] @param {object} [differences] */
const gcBlock = (isHeapFull = false, differences = {}) => makeRecord({
  cause: 'gc', evidence: { ...evidence, memory: /** @type {any} */ ({ isHeapFull }) }, ...differences
})

/** @param {object} [parts] */
function makeStory (parts) {
  const story = {
    /** @type {any[]} */
    asked: [],
    /** @type {string[]} */
    said: [],
    counters: { openWork: 0 },
    isCollected: true,
    take: () => story.asked.splice(0).map(({ isStart, isCounting }) => `${isStart ? 'start' : 'stop'}${isCounting ? ' counting' : ''}`)
  }
  const heapProfiling = new HeapProfiling({
    isPossible: true,
    counters: /** @type {any} */ (story.counters),
    gcPauses: { isMajorWithin: () => story.isCollected },
    table: new FrameTable((frame) => frame),
    post: (message) => story.asked.push(message),
    say: (level, fields, message) => story.said.push(message),
    ...parts
  })
  return Object.assign(story, { heapProfiling })
}

test('after a block by the collector, what is allocated is profiled for ten seconds, then what stays in use', () => {
  const { heapProfiling, take, said } = makeStory()
  const now = nowMs()
  /** @type {any[]} */
  const profiles = []
  heapProfiling.onProfile = (profile) => profiles.push(profile)
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(now, false)
  assert.deepEqual(take(), ['start counting'])
  heapProfiling.receive({ isOn: true, text: null })
  heapProfiling.poll(now + 9900, false)
  assert.deepEqual(take(), [])
  assert.equal(heapProfiling.latest, null)
  heapProfiling.poll(now + 10100, false)
  assert.deepEqual(take(), ['stop counting'])
  heapProfiling.receive({ isOn: false, text: TEXT })
  heapProfiling.poll(now + 11200, false)
  assert.deepEqual(take(), ['start'])
  heapProfiling.receive({ isOn: true, text: null })
  heapProfiling.poll(now + 22000, false)
  heapProfiling.receive({ isOn: false, text: TEXT })
  assert.deepEqual(take(), ['stop'])
  assert.deepEqual(profiles, [
    { block: '4242-1', isHeapFull: false, allocatedBy: SHARE },
    { block: '4242-1', isHeapFull: false, allocatedBy: SHARE, keptBy: SHARE }
  ])
  assert.deepEqual(heapProfiling.latest, profiles[1])
  assert.deepEqual(said, [
    'memory that was allocated after block 4242-1: 100% in addSession (app/cache.js:12)',
    'memory that was allocated and stayed in use after block 4242-1: 100% in addSession (app/cache.js:12)'
  ])
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(now + 60000, false)
  assert.deepEqual(take(), [], 'once in ten minutes')
})

test('with a nearly full heap, what stays in use is profiled first', () => {
  const { heapProfiling, take } = makeStory()
  heapProfiling.settled(gcBlock(true))
  heapProfiling.poll(nowMs(), false)
  assert.deepEqual(take(), ['start'])
})

test('a loop that is busy with garbage collection is profiled without a block', () => {
  const { heapProfiling, take, said } = makeStory()
  heapProfiling.want()
  heapProfiling.poll(nowMs(), false)
  assert.deepEqual(take(), ['start counting'])
  heapProfiling.receive({ isOn: true, text: null })
  heapProfiling.receive({ isOn: false, text: TEXT })
  assert.match(said[0], /^memory that was allocated while the event loop was busy with garbage collection: 100% in/)
})

test('a profile that is due for a block stays that of the block while collections keep the loop busy', () => {
  const { heapProfiling, take } = makeStory()
  heapProfiling.settled(gcBlock(true))
  heapProfiling.want()
  heapProfiling.poll(nowMs(), false)
  assert.deepEqual(take(), ['start'], 'what stays in use comes first with a full heap')
})

test('a heap profile starts in a moment without a request, and not later than a minute after the block', () => {
  const { heapProfiling, take, counters } = makeStory()
  const now = nowMs()
  counters.openWork = 1
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(now, false)
  counters.openWork = 0
  heapProfiling.poll(now, true)
  assert.deepEqual(take(), [])
  heapProfiling.poll(now, false)
  // A request began before the host had the question, so there is no answer.
  heapProfiling.poll(now + 500, false)
  heapProfiling.poll(now + 1000, false)
  assert.deepEqual(take(), ['start counting', 'start counting'])
  heapProfiling.poll(now + 61000, false)
  assert.deepEqual(take(), [])
})

test('a block that finds the heap nearly full ends the profile early, after two seconds', () => {
  const { heapProfiling, take } = makeStory()
  const now = nowMs()
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(now, false)
  heapProfiling.receive({ isOn: true, text: null })
  take()
  heapProfiling.settled(gcBlock(true))
  heapProfiling.poll(now + 1900, false)
  assert.deepEqual(take(), [])
  heapProfiling.poll(now + 2100, false)
  assert.deepEqual(take(), ['stop counting'])
  heapProfiling.receive({ isOn: false, text: TEXT })
  assert.equal(heapProfiling.latest?.isHeapFull, true)
})

test('a profile of what stays in use ends after a collection of the whole heap, or shows nothing', () => {
  for (const isCollected of [true, false]) {
    const story = makeStory()
    const { heapProfiling, take } = story
    const now = nowMs()
    story.isCollected = false
    heapProfiling.settled(gcBlock(true))
    heapProfiling.poll(now, false)
    heapProfiling.receive({ isOn: true, text: null })
    take()
    heapProfiling.poll(now + 11000, false)
    assert.deepEqual(take(), [])
    story.isCollected = isCollected
    heapProfiling.poll(now + 12000, false)
    story.isCollected = false
    heapProfiling.poll(now + 61000, false)
    assert.deepEqual(take(), isCollected ? ['stop', 'stop'] : ['stop'], 'an answer is late')
    heapProfiling.receive({ isOn: false, text: TEXT })
    assert.deepEqual(heapProfiling.latest?.keptBy, isCollected ? SHARE : undefined)
  }
})

test('no heap profile follows another block, one at startup, or where the option or Node.js rules it out', () => {
  const { heapProfiling, take } = makeStory()
  heapProfiling.settled(makeRecord())
  heapProfiling.settled(gcBlock(false, { startup: true }))
  heapProfiling.poll(nowMs(), false)
  assert.deepEqual(take(), [])
  const off = makeStory({ isPossible: false })
  off.heapProfiling.settled(gcBlock())
  off.heapProfiling.poll(nowMs(), false)
  assert.deepEqual(off.take(), [])
})

test('while another tool profiles the heap, the agent tries again after ten minutes', () => {
  const { heapProfiling, take } = makeStory()
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(nowMs(), false)
  heapProfiling.receive({ isOn: false, text: null })
  assert.deepEqual(take(), ['start counting'])
  heapProfiling.settled(gcBlock())
  heapProfiling.poll(nowMs() + 5000, false)
  assert.deepEqual(take(), [])
  assert.equal(heapProfiling.latest, null)
})
