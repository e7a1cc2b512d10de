'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Allocations } = require('../../../../lib/watchdog/profile/allocations')
const { makeRecord } = require('../../../support/record')

const MINUTE_MS = 60_000
const { evidence } = makeRecord()
const ofGarbage = makeRecord({ cause: 'gc', evidence: { ...evidence, gcMs: 250 } })
const ofSystem = { cgroupBytes: null, cgroupLimitBytes: null, majorFaults: 0, memoryStallMs: 0, ioStallMs: 0 }
const memory = { ...ofSystem, rssBytes: 1 }
const full = { ...evidence, gcMs: 250, memory: { ...memory, isHeapFull: true } }
const ofFullHeap = makeRecord({ cause: 'gc', evidence: full })

const callFrame = { functionName: 'toRows', scriptId: '1', url: 'file:///srv/app/rows.js', lineNumber: 3, columnNumber: 0 }
const children = [{ callFrame, selfSize: 9, children: [] }]
const head = { callFrame: { ...callFrame, functionName: '(root)' }, selfSize: 0, children }
const TEXT = JSON.stringify({ head, samples: Array.from({ length: 20 }, () => ({})) })

/** @param {{ isPossible?: boolean, mayAsk?: boolean }} [known] */
function make ({ isPossible = true, mayAsk = true } = {}) {
  /** @type {string[]} */
  const said = []
  const allocations = new Allocations({
    isPossible,
    ask: (action, round) => { said.push(`ask ${action} ${round}`); return mayAsk },
    tell: (action, round) => said.push(`tell ${action} ${round}`),
    sources: () => ({ original: (frame) => frame, textOf: () => null, passesOn: () => false })
  })
  return { allocations, said }
}

test('from the second block by the collector on, the next one is sampled, and its record says who allocates', () => {
  const { allocations, said } = make()
  allocations.settled(ofGarbage, 1000)
  allocations.poll(1500, true)
  assert.deepEqual(said, [])
  allocations.settled(ofGarbage, 2000)
  allocations.poll(2500, false)
  assert.deepEqual(said.splice(0), ['tell load 0'])
  allocations.poll(3000, true)
  allocations.poll(3100, true)
  assert.deepEqual(said.splice(0), ['ask start 1'])
  assert.equal(allocations.isAwaited(3200, 3210), true)
  allocations.poll(3210, false)
  allocations.poll(3220, false)
  assert.deepEqual(said.splice(0), ['tell take 1'])
  assert.equal(allocations.lay(ofGarbage, 2950, 3200).allocators, undefined)
  allocations.receive({ round: 1, text: TEXT })
  assert.equal(allocations.isAwaited(3200, 3230), false)
  const [{ frame, share }] = allocations.lay(ofGarbage, 2950, 3200).allocators ?? []
  assert.deepEqual([frame.function, frame.line, share], ['toRows', 4, 1])
  assert.equal(allocations.lay(makeRecord(), 2950, 3200).allocators, undefined, 'a block of JavaScript')
  assert.equal(allocations.lay(ofFullHeap, 2950, 3200).allocators, undefined, 'a heap that is full')
  assert.equal(allocations.lay(ofGarbage, 3300, 3500).allocators, undefined, 'another block')
  allocations.poll(3000 + MINUTE_MS - 1, true)
  assert.deepEqual(said, [], 'at most one a minute')
  allocations.poll(3000 + MINUTE_MS, true)
  assert.deepEqual(said, ['ask start 2'])
})

test('a long block has a second of it sampled, and a lost answer is asked for again', () => {
  const { allocations, said } = make()
  for (const endMs of [1000, 2000]) allocations.settled(ofGarbage, endMs)
  for (const atMs of [3000, 3900, 4000, 4500]) allocations.poll(atMs, true)
  assert.deepEqual(said.splice(0), ['tell load 0', 'ask start 1', 'ask take 1'])
  allocations.poll(8900, false)
  assert.deepEqual(said.splice(0), [])
  allocations.poll(9000, false)
  assert.deepEqual(said.splice(0), ['tell take 1'])
  allocations.receive({ round: 7, text: TEXT })
  assert.equal(allocations.isBusy, true, 'an answer of another round')
  allocations.receive({ round: 1, text: '{' })
  assert.equal(allocations.isBusy, false)
  assert.equal(allocations.lay(ofGarbage, 2950, 9000).allocators, undefined)
})

test('nothing is sampled in vain: not for a full heap, not after long, not where it cannot be had', () => {
  const full = make()
  for (const endMs of [1000, 2000, 3000]) full.allocations.settled(ofFullHeap, endMs)
  assert.deepEqual(full.said, [])
  const old = make({ isPossible: false })
  for (const endMs of [1000, 2000, 3000]) old.allocations.settled(ofGarbage, endMs)
  old.allocations.poll(4000, true)
  assert.deepEqual(old.said, [])
  const rare = make()
  for (const endMs of [1000, 2000]) rare.allocations.settled(ofGarbage, endMs)
  rare.allocations.poll(11 * MINUTE_MS, true)
  assert.deepEqual(rare.said, ['tell load 0'])
  const held = make({ mayAsk: false })
  for (const endMs of [1000, 2000]) held.allocations.settled(ofGarbage, endMs)
  held.allocations.poll(3000, true)
  assert.equal(held.allocations.isBusy, false)
})
