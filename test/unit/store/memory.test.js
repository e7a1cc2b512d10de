'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockMemory, mergeNewest } = require('../../../lib/store/memory')
const { makeRecord } = require('../../support/record')

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
