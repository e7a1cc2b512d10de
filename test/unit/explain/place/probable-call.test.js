'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { probableCall, repeatedCall, withProbableCall } = require('../../../../lib/explain/place/located')
const { makeRecord } = require('../../../support/record')

/** @param {string} text */
const lines = (text) => text.split('\n')

test('the one long built-in just before the answered place is named, and in the answered line itself', () => {
  const source = lines('function load (text) {\n  const rows = JSON.parse(text)\n  return compute(rows)\n}')
  assert.deepEqual(probableCall(source, 3), { call: 'JSON.parse', line: 2 })
  assert.deepEqual(probableCall(source, 2), { call: 'JSON.parse', line: 2 })
})

test('it is looked for in the same function only', () => {
  const source = lines('const text = JSON.stringify(all)\nasync function send (text) {\n  if (text) {\n    return post(text)\n  }\n}')
  assert.equal(probableCall(source, 4), null)
  assert.equal(probableCall(lines('a.sort()\nlist.map((x) => {\n  return f(x)'), 3), null)
  assert.equal(probableCall(lines('  b = JSON.parse(a)\n  load (b) {\n    return f(b)'), 3), null)
})

test('two of them, none, and what is usually short name nothing', () => {
  assert.equal(probableCall(lines('a = JSON.parse(b)\nc = a.sort()\nd(c)'), 3), null)
  assert.equal(probableCall(lines('a = b.slice(1)\nd(c)'), 2), null)
  assert.equal(probableCall([], 7), null)
})

test('a call is suspected of the time of its line if it is one of those that take the time of loops', () => {
  assert.equal(repeatedCall('out.push(price.toLocaleString())'), 'toLocaleString')
  assert.equal(repeatedCall('total += row.name.indexOf(key)'), null)
  assert.equal(repeatedCall('queue.shift().concat(queue)'), null)
})

test('a probable call is added to a certain line of JavaScript whose own code had the time, not to a named call', () => {
  const frame = { function: 'drain', file: '/srv/app/queue.js', line: 2, column: 3, exact: true }
  const probableIn = (/** @type {object} */ differences) =>
    withProbableCall(makeRecord({ frame, leaf: frame, profile: null, ...differences }), () => lines('for (;;) {\n  queue.shift()')).probable
  assert.deepEqual(probableIn({}), { call: 'shift', line: 2 })
  assert.equal(probableIn({ leaf: { ...frame, function: 'other' } }), undefined)
  assert.equal(probableIn({ cause: 'gc' }), undefined)
  assert.equal(probableIn({ profile: { samples: 3, call: 'next', stacks: [] } }), undefined)
})
