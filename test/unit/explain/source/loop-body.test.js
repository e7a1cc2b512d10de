'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { offHead } = require('../../../../lib/explain/source/loop-body')

const SOURCE = [
  'function priceOf (parcel, rates) {', // 1
  '  for (const rate of rates) {', // 2
  '    // the last one that fits', // 3
  '    if (rate.from <= parcel.weight) price = rate.price', // 4
  '  }',
  '  for (let i = 0; i < limit(); i++) {', // 6
  '    sum += i', // 7
  '  }',
  '  while (queue.length > 0) {', // 9
  '    const next = queue.shift()', // 10
  '    work(next)', // 11
  '  }',
  '  for (const each of rates) sum += each', // 13
  '}'
]
const at = (/** @type {number} */ line) => ({ function: 'priceOf', file: '/srv/a.js', line, column: 3, exact: true })
const lineOf = (/** @type {number} */ line, /** @type {[number, number][]} */ ...ticks) =>
  offHead(at(line), ticks.map(([line, ticks]) => ({ line, ticks })), SOURCE).line

test('a body of one line is what a loop does, unless its head calls something or has the samples', () => {
  assert.deepEqual(offHead(at(2), [], SOURCE), { ...at(4), column: 5 })
  assert.equal(lineOf(2, [2, 1]), 2)
  assert.equal(lineOf(6), 6)
})

test('a line of the body that has as many samples as the head is the one, the one with the most', () => {
  assert.equal(lineOf(2, [2, 1], [4, 1]), 4)
  assert.equal(lineOf(2, [2, 2], [4, 1]), 2)
  assert.equal(lineOf(6, [7, 1]), 7)
  assert.equal(lineOf(9, [10, 1], [11, 2], [10, 3]), 10)
  assert.equal(lineOf(9, [4, 5]), 9, 'samples of another loop')
})

test('of several lines without a sample none is guessed; what is no head of a loop over several lines stays', () => {
  for (const line of [1, 4, 7, 9, 11, 13, 99]) assert.equal(lineOf(line), line)
  assert.deepEqual(offHead(at(2), [], null), at(2))
  assert.deepEqual(offHead({ ...at(2), line: null }, [], SOURCE), { ...at(2), line: null })
  assert.equal(offHead(at(1), [], ['for (;;) {', '  work()']).line, 1, 'a loop without an end')
})

test('where a profile has samples of the function, but hardly any at the head, a body of one line is likelier', () => {
  const placeOf = (/** @type {number} */ line, /** @type {number} */ head, isSampled = true) => {
    const frame = offHead(at(line), [{ line, ticks: head }], SOURCE, isSampled)
    return [frame.line, frame.exact]
  }
  assert.deepEqual([0, 2, 3].map((ticks) => placeOf(6, ticks)), [[7, false], [7, false], [6, true]])
  // line.js leaves it in doubt.
  assert.deepEqual([0, 3].map((ticks) => placeOf(9, ticks)), [[9, true], [9, true]], 'a body of several lines')
  assert.deepEqual(placeOf(6, 0, false), [6, true])
})
