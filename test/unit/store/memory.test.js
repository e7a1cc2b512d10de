'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockMemory, mergeNewest } = require('../../../lib/store/memory')
const { makeRecord } = require('../../support/record')

test('blocks come newest first', () => {
  const memory = new BlockMemory(10)
  assert.deepEqual(memory.list(), [])
  const records = ['1-1', '1-2', '1-3'].map((id) => makeRecord({ id }))
  for (const record of records) memory.put(record)
  assert.deepEqual(memory.list(), [...records].reverse())
  assert.equal(memory.get('1-2'), records[1])
  assert.equal(memory.get('1-9'), undefined)
})

test('the latest blocks are kept, the oldest let go', () => {
  const memory = new BlockMemory(3)
  for (let i = 1; i <= 10; i++) memory.put(makeRecord({ id: `1-${i}` }))
  assert.deepEqual(memory.list().map(({ id }) => id), ['1-10', '1-9', '1-8'])
  assert.equal(memory.get('1-7'), undefined)
})

test('what is learned of a block replaces what was known, in its place, and pushes no other out', () => {
  const memory = new BlockMemory(3)
  for (const id of ['1-1', '1-2', '1-3']) memory.put(makeRecord({ id, ongoing: true }))
  const closed = makeRecord({ id: '1-1', durationMs: 999 })
  memory.put(closed)
  assert.deepEqual(memory.list().map(({ id }) => id), ['1-3', '1-2', '1-1'])
  assert.equal(memory.get('1-1'), closed)
})

test('records of two memories come newest first', () => {
  const at = (/** @type {string} */ startedAt) => makeRecord({ startedAt })
  assert.deepEqual(mergeNewest([at('5'), at('2')], [at('4'), at('1')]).map(({ startedAt }) => startedAt), ['5', '4', '2', '1'])
})

test('blocks in progress are listed as they are now, and only for that list', () => {
  const memory = new BlockMemory(3)
  for (const id of ['1', '2', '3']) memory.put(makeRecord({ id, durationMs: 100 }))
  const now = [makeRecord({ id: '3', durationMs: 900, ongoing: true }), makeRecord({ id: '4', durationMs: 5, ongoing: true })]
  assert.deepEqual(memory.list(now).map(({ id, durationMs }) => [id, durationMs]), [['4', 5], ['3', 900], ['2', 100]])
  assert.deepEqual(memory.list().map(({ id, durationMs }) => [id, durationMs]), [['3', 100], ['2', 100], ['1', 100]])
  assert.equal(memory.get('4'), undefined)
})
