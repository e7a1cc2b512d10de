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
const lineOf = (/** @type {number} */ line, source = SOURCE) => offHead(at(line), () => source).line

test('a body of one line is what a loop does, unless its head calls something', () => {
  assert.deepEqual(offHead(at(2), () => SOURCE), { ...at(4), column: 5 })
  assert.equal(lineOf(6), 6)
})

test('of several lines none is guessed; what is no head of a loop over several lines stays, as does what is in doubt', () => {
  for (const line of [1, 4, 7, 9, 11, 13, 99]) assert.equal(lineOf(line), line)
  assert.deepEqual(offHead(at(2), () => null), at(2))
  for (const frame of [{ ...at(2), line: null }, { ...at(2), exact: false }, { ...at(2), compiled: true }]) {
    assert.deepEqual(offHead(frame, () => SOURCE), frame)
  }
  assert.equal(lineOf(1, ['for (;;) {', '  work()']), 1, 'a loop without an end')
})
