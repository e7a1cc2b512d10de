'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Queries } = require('../../../../lib/watchdog/loop/intervals')
const { makeRecord } = require('../../../support/record')

/** Whether a block in a line makes the host follow statements. @param {string} row @param {object} [record] */
function follows (row, record = {}) {
  /** @type {object[]} */
  const posted = []
  const frame = { function: 'find', file: '/srv/app/orders.js', line: 3, column: 3, exact: true }
  new Queries(() => ['', '', row], (message) => posted.push(message)).settled(makeRecord({ frame, cause: 'native', ...record }))
  return posted.length > 0
}

test('statements are followed once a block may have been in one', () => {
  const ofParse = { profile: { samples: 9, call: 'JSON.parse', builtin: true, stacks: [] } }
  assert.ok(follows('  return find(name)'), 'the answer came after the call')
  assert.ok(follows('', { frame: null, cause: 'sync-io' }))
  assert.ok(follows('  for (const id of ids) rows.push(one.get(id))', { cause: 'js' }))
  for (const call of ['exec', 'byCustomer.all']) {
    assert.ok(follows('', { profile: { samples: 9, call, builtin: true, stacks: [] } }), call)
  }
  assert.ok(!follows('  for (const id of ids) rows.push(JSON.parse(texts[id]))', { cause: 'js' }))
  assert.ok(!follows('  return JSON.parse(text)', ofParse))
  assert.ok(!follows('  return JSON.parse(text)', { probable: { call: 'JSON.parse', line: 3 } }))
  assert.ok(!follows('  return find(name)', { cause: 'starved', excused: true }))
})

/** @param {object} message of the host about a turn whose longest statement ended at 1000 ms */
function queryOf (message, startMs = 900, endMs = 1010) {
  const queries = new Queries(() => null, () => {})
  queries.receive({ code: 24, text: 'SELECT 1', durationMs: 80, atMs: 1000, count: 1, totalMs: 80, ...message })
  return queries.within(startMs, endMs)
}

test('a block has the longest statement of its turn', () => {
  assert.deepEqual(queryOf({}), { text: 'SELECT 1', durationMs: 80, count: 1, totalMs: 80 })
  assert.equal(queryOf({}, 1001, 1100), null, 'it ended before the block')
  assert.equal(queryOf({}, 800, 900), null, 'it ended after the block')
})

test('a statement that took a small part of a block is not named', () => {
  assert.equal(queryOf({ durationMs: 15, totalMs: 15 }), null)
  assert.ok(queryOf({ durationMs: 1, totalMs: 9, count: 9000 }), 'SQLite does not measure the calls')
})

test('a statement whose rows were read in several turns is not named', () => {
  assert.equal(queryOf({ durationMs: 5000, totalMs: 5000 }), null)
})

test('statements that were not all followed are named if there were many', () => {
  assert.ok(queryOf({ durationMs: 1, totalMs: 9, count: 9000, more: true }, 900, 9000))
  assert.equal(queryOf({ durationMs: 1, totalMs: 9, count: 9, more: true }, 900, 9000), null)
})
