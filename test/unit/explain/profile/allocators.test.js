'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { allocatorsOf } = require('../../../../lib/explain/profile/allocators')
const { makeRecord } = require('../../../support/record')

const FILE = '/srv/app/rows.js'
const TEXT = [
  'function toRows (list) {',
  '  const rows = []',
  '  for (const each of list) {',
  '    const id = each.id * 2',
  '    rows.push({ id, tags: [id, id] })',
  '  }',
  '  return rows',
  '}',
  'function handle (request, tags = []) {',
  '  const first = { request }',
  '  const second = [request, tags]',
  '  return toRows(first, second)',
  '}',
  'function render (page) {',
  '  return page.join(NEWLINE)',
  '}'
]

/**
 * A node of V8's profile.
 * @param {string} name @param {number} line from 1 @param {number} bytes @param {...any} below
 */
const node = (name, line, bytes, ...below) => ({
  callFrame: { functionName: name, scriptId: '7', url: `file://${FILE}`, lineNumber: line - 1, columnNumber: 9 },
  selfSize: bytes,
  children: below
})
const root = (/** @type {any[]} */ ...children) => ({
  callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, selfSize: 0, children
})
const samples = Array.from({ length: 50 }, () => ({}))
/** @param {string} name @param {number} line */
const frame = (name, line) => ({ function: name, file: FILE, line, column: 3 })
const sources = { original: (/** @type {any} */ each) => each, textOf: () => TEXT, passesOn: () => false }

/** @param {any} head @param {object} [record] @param {object[]} [taken] */
const told = (head, record = {}, taken = samples) =>
  allocatorsOf({ head, samples: taken }, makeRecord({ cause: 'gc', frame: null, stacks: [], ...record }), sources)
    .map(({ frame: { function: name, line, exact }, share }) => `${exact ? '' : '≈ '}${name}:${line} ${share}`)

test('functions stand with their share of the bytes, in the one line that allocates, without what is too little', () => {
  const head = root(node('handle', 9, 30, node('toRows', 1, 640)), node('render', 14, 310, node('toRows', 1, 20)))
  assert.deepEqual(told(head), ['toRows:5 0.66', 'render:15 0.31'])
  assert.deepEqual(told(head, {}, samples.slice(0, 9)), [], 'too few samples')
  assert.deepEqual(told(root()), [])
})

test('a function with several lines that allocate has the line where stacks saw it, which is in doubt', () => {
  const head = root(node('handle', 9, 100))
  assert.deepEqual(told(head), ['≈ handle:9 1'])
  const stacks = [{ count: 3, weightMs: 60, frames: [frame('handle', 11)] }, { count: 9, weightMs: 180, frames: [frame('emit', 4), frame('handle', 10)] }]
  assert.deepEqual(told(head, { stacks }), ['≈ handle:10 1'])
  assert.deepEqual(told(head, { stacks, frame: { ...frame('handle', 11), exact: true } }), ['≈ handle:11 1'])
})

test('a blamed function that V8 has inlined is named in place of the outer one', () => {
  const stacks = [{ count: 9, weightMs: 180, frames: [frame('toRows', 3), frame('handle', 12)] }]
  const record = { stacks, frame: { ...frame('toRows', 3), exact: true } }
  assert.deepEqual(told(root(node('handle', 9, 100)), record), ['toRows:5 1'])
  assert.deepEqual(told(root(node('handle', 9, 60, node('toRows', 1, 40))), record), ['≈ handle:12 0.6', 'toRows:5 0.4'])
})

test('what loopwatch itself allocates is nobody\'s', () => {
  const own = node('probe', 1, 500)
  own.callFrame.url = `file://${require.resolve('../../../../lib/host/sense/probe')}`
  assert.deepEqual(told(root(node('toRows', 1, 100, own))), ['toRows:5 1'])
})
