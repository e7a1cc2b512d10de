'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Blocks } = require('../../../lib/watchdog/blocks')
const { makeRecord } = require('../../support/record')

/** @type {typeof makeRecord} */
const ongoing = (differences) => makeRecord({ ongoing: true, durationMs: 700, ...differences })

test('reading blocks shows those in progress as they are now, and writes nothing', () => {
  const blocks = new Blocks(10, () => [
    ongoing({ id: 'main', startedAt: '2026-01-01T00:00:01.000Z' }),
    ongoing({ id: 'new thread', threadId: 4, startedAt: '2026-01-01T00:00:03.000Z' }),
    ongoing({ id: 'worker', worker: 1, startedAt: '2026-01-01T00:00:00.000Z' })
  ])
  const { memories } = blocks
  memories.main.put(makeRecord({ id: 'main', ongoing: true, durationMs: 60, startedAt: '2026-01-01T00:00:01.000Z' }))
  memories.threads.put(makeRecord({ id: 'thread', threadId: 3, durationMs: 60, startedAt: '2026-01-01T00:00:02.000Z' }))
  const kept = () => Object.values(memories).map((memory) => memory.list())
  const before = kept()
  const expected = [['new thread', 700], ['thread', 60], ['main', 700], ['worker', 700]]
  assert.deepEqual(blocks.records().map(({ id, durationMs }) => [id, durationMs]), expected)
  assert.deepEqual(blocks.list().map(({ id, durationMs }) => [id, durationMs]), expected)
  assert.equal(blocks.get('worker')?.durationMs, 700)
  assert.equal(blocks.get('main')?.durationMs, 700)
  assert.equal(blocks.get('thread')?.durationMs, 60)
  assert.equal(blocks.get('nobody'), undefined)
  assert.deepEqual(kept(), before)
})

test('a pool that blocks with every task does not take the room of the main thread', () => {
  const { memories } = new Blocks(1000, () => [])
  for (let i = 0; i < 500; i++) memories.threads.put(makeRecord({ id: `${i}`, threadId: 1 }))
  assert.equal(memories.threads.list().length, 100)
})
