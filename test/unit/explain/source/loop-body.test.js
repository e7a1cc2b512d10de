'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { bodyOf, functionAround, loopAround } = require('../../../../lib/explain/source/loop-body')

const SOURCE = [
  'function priceOf (parcel, rates) {', // 1
  '  for (const rate of rates) {', // 2
  '    // the last one that fits', // 3
  '    if (rate.from <= parcel.weight) price = rate.price', // 4
  '  }',
  '  while (queue.length > 0) {', // 6
  '    const next = queue.shift()', // 7
  '    work(next)', // 8
  '  }',
  '  for (const each of rates) sum += each', // 10
  '  rates.forEach((each) => {', // 11
  '    sum += each', // 12
  '  })',
  '}',
  'const later = (n) => {', // 15
  '  return n', // 16
  '}',
  'done()' // 18
]

test('the body of a loop or a callback is its lines with code', () => {
  assert.deepEqual(bodyOf(SOURCE, 2), [4])
  assert.deepEqual(bodyOf(SOURCE, 6), [7, 8])
  assert.deepEqual(bodyOf(SOURCE, 11), [12])
  for (const line of [1, 4, 10, 99]) assert.deepEqual(bodyOf(SOURCE, line), [], `line ${line}`)
})

test('a loop without an end has no body', () => {
  assert.deepEqual(bodyOf(['for (;;) {', '  work()'], 1), [])
})

test('the innermost loop around a line is found', () => {
  assert.deepEqual(loopAround(SOURCE, 8), [7, 8])
  assert.deepEqual(loopAround(SOURCE, 10), [])
})

test('the innermost function around a line begins at its parameters', () => {
  assert.deepEqual(functionAround(SOURCE, 4), { line: 1, column: 18 })
  assert.deepEqual(functionAround(SOURCE, 12), { line: 11, column: 17 })
  assert.deepEqual(functionAround(SOURCE, 16), { line: 15, column: 15 })
  assert.equal(functionAround(SOURCE, 18), null)
})
