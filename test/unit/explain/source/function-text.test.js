'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const {
  bodyOf, functionAround, linesCalling, loopAround, loopingCalleesIn
} = require('../../../../lib/explain/source/function-text')

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
  assert.deepEqual(loopAround(SOURCE, 8), [6, 7, 8])
  assert.deepEqual(loopAround(SOURCE, 6), [6, 7, 8])
  assert.deepEqual(loopAround(SOURCE, 10), [])
})

test('the innermost function around a line begins at its parameters', () => {
  assert.deepEqual(functionAround(SOURCE, 4), { line: 1, column: 18 })
  assert.deepEqual(functionAround(SOURCE, 12), { line: 11, column: 17 })
  assert.deepEqual(functionAround(SOURCE, 16), { line: 15, column: 15 })
  assert.equal(functionAround(SOURCE, 18), null)
})

test('a function with a loop that a line calls is found, one without is not', () => {
  const lines = ['function sum (n) {', '  for (const each of n) total += each', '}', 'const other = (n) => n', 'sum(1) + other(2)']
  assert.deepEqual(loopingCalleesIn(lines, lines[4]), [{ function: 'sum', line: 1, column: 14 }])
})

test('a function is called under its own name, or under another one that the file gives it', () => {
  const calling = (/** @type {string} */ before, /** @type {string} */ call) => {
    const lines = [before, 'function handle (rows) {', '  if (rows === null) gzipSync(rows)', `  ${call}`, '}']
    return linesCalling(lines, { line: 2, column: 17 }, 'exports.gzipSync')
  }
  for (const before of [
    'const pack = gzipSync', 'const pack = zlib.gzipSync; // faster', 'let pack = node.zlib.gzipSync.bind(null)',
    'const { gzipSync: pack } = require("node:zlib")', 'import { gzipSync as pack } from "node:zlib"',
    'const tools = { pack: zlib.gzipSync, other }', 'function make (pack = gzipSync) {', 'this.pack = gzipSync'
  ]) assert.deepEqual(calling(before, 'rows.map(tools.pack(rows))'), [3, 4], before)
  // V8 names a function by its key, which may be any text.
  for (const name of ['GET /orders(/:id', 'a*(', '[b', 'x\\\\', 'c|']) assert.deepEqual(linesCalling([`const rows = { '${name}': 1 }`], { line: 1, column: 1 }, name), [], name)
  for (const before of ['if (pack === gzipSync) {', 'const pack = gzipSync(rows)', 'const pack = gzipSyncs']) {
    assert.deepEqual(calling(before, 'pack(rows)'), [3], before)
  }
})
