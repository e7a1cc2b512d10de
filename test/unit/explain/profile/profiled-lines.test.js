'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { cutProfiles } = require('../../../../lib/explain/profile/samples')
const { FILE, makeWindow, node, placed } = require('../../../support/profile')
const { makeRecord } = require('../../../support/record')

const PACKAGE = '/srv/app/node_modules/tinyweigh/index.js'
const LOOP = [
  'function drafts (n) {', // 1
  '  for (let i = 0; i < n; i++) {', // 2
  '    const made = structuredClone(base)', // 3
  '    for (let k = 0; k < 9; k++) sum += k', // 4
  '    if (made) found.push(i)', // 5
  '  }',
  '}'
]

/** @param {number} line @param {string | null} [name] @param {string} [file] */
const at = (line, name = 'drafts', file = FILE) => ({ function: name, file, line, column: 3 })
/** @param {string} name */
const builtin = (name) => ({ function: name, file: null, line: null, column: null })

/**
 * The line, and whether it is certain, of a block of JavaScript with a sample each 10 ms.
 * @param {any[]} nodes below the root @param {number[]} samples
 * @param {import('../../../../lib/types').Frame[][]} answers the stacks, each seen three times
 * @param {Record<string, string[]>} [files]
 */
function lineOf (nodes, samples, answers, files = { [FILE]: LOOP }) {
  const frame = answers.length === 0 ? null : { ...answers[0].find(({ file }) => file === FILE), exact: true }
  const stacks = answers.map((frames) => ({ count: 3, weightMs: 50, frames }))
  const evidence = { ...makeRecord().evidence, nativeMs: 0 }
  const seen = { samples: 3 * answers.length, frame: /** @type {any} */ (frame), stacks, evidence }
  const record = makeRecord({ cause: 'js', ...seen })
  const root = node(1, '(root)', null, [2])
  const profile = cutProfiles([makeWindow([root, ...nodes], samples)], 1000, 1090)
  const lines = (/** @type {string} */ file) => files[file] ?? null
  const placeOfLine = (/** @type {string} */ file, /** @type {number} */ line) => ({ file, line })
  const sources = { original: (/** @type {any} */ each) => each, runningRows: lines, sourceRows: lines, placeOfLine }
  const laid = placed(record, profile, sources)
  return [laid.frame?.line, laid.frame?.exact]
}

/** @param {[number, number][]} ticks @param {number[]} [children] */
const drafts = (ticks, children = []) =>
  node(2, 'drafts', 1, children, { positionTicks: ticks.map(([line, some]) => ({ line, ticks: some })) })

test('many short native calls are in the line that makes them, though interrupts are answered at the head or after', () => {
  const clone = node(3, 'structuredClone', 'node:internal/worker', [])
  for (const answered of [2, 4, 5]) {
    assert.deepEqual(lineOf([drafts([], [3]), clone], [3, 3, 3, 3, 3], [[at(answered)]]), [3, true], `answered in line ${answered}`)
  }
})

test('samples in a built-in are in the line that stacks show it in, and what it calls back is not inlined', () => {
  const parses = ['function drafts (text) {', '  const rows = JSON.parse(text, revive)', '  return rows.length', '}']
  const nodes = [drafts([[2, 2]], [3]), node(3, 'encodeInto', null)]
  const revived = [at(9, 'revive'), builtin('parse'), at(2)]
  assert.deepEqual(lineOf(nodes, [3, 3, 3, 2, 2], [revived], { [FILE]: parses }), [2, true])
  const two = parses.with(2, '  return report(rows)')
  assert.deepEqual(lineOf(nodes, [3, 3, 3, 3, 3], [revived], { [FILE]: two }), [2, false], 'of two lines, stacks show the one with the built-in')
})

test('a callee that V8 names otherwise is in the one line with a call of which nothing else is known', () => {
  const verify = ['function drafts (n) {', '  for (let i = 0; i < n; i++) {', '    const made = crypto.verify(a, b)', '    if (made) found.push(i)', '  }', '}']
  const oneShot = node(3, 'verifyOneShot', 'node:internal/crypto/sig', [])
  assert.deepEqual(lineOf([drafts([], [3]), oneShot], [3, 3, 3, 3, 3], [[at(2)]], { [FILE]: verify }), [3, true])
  const two = verify.with(3, '    if (accepts(made)) found.push(i)')
  assert.equal(lineOf([drafts([], [3]), oneShot], [3, 3, 3, 3, 3], [[at(2)]], { [FILE]: two })[1], false, 'two lines may call it')
})

test('stacks show which of two lines that call the same function took the time', () => {
  const twice = LOOP.with(4, '    structuredClone(made)')
  const clone = node(3, 'structuredClone', 'node:internal/worker', [])
  const within = { function: 'structuredClone', file: 'node:internal/worker', line: 8, column: 1 }
  assert.deepEqual(lineOf([drafts([], [3]), clone], [3, 3, 3, 3, 3], [[within, at(3)]], { [FILE]: twice }), [3, false])
})

test('lines beyond the end of a function are of the call that answers show', () => {
  const total = [
    'function drafts (n) {', '  for (const row of rows) {', '    // hidden rows', '    if (row.hidden) continue', '    sum += weigh(row)', '  }', '}'
  ]
  const inPackage = (/** @type {number} */ line) => at(line, 'weigh', PACKAGE)
  assert.deepEqual(lineOf([drafts([[99, 5]])], [2, 2, 2, 2, 2], [[inPackage(4), at(5)]], { [FILE]: total }), [5, true])
})

test('samples in a function of the same file that V8 has inlined name that function', () => {
  const report = [
    'function weigh (row) {', // 1
    '  let sum = 0',
    '  for (const each of row) sum += each * each', // 3
    '  return sum',
    '}',
    'function drafts (n) {', // 6
    '  for (let i = 0; i < n; i++) {',
    '    sum += weigh(rows[i])', // 8
    '  }',
    '}'
  ]
  const inlined = (/** @type {number} */ line) => node(2, 'drafts', 6, [], { positionTicks: [{ line, ticks: 5 }] })
  assert.deepEqual(lineOf([inlined(3)], [2, 2, 2, 2, 2], [[at(7)]], { [FILE]: report }), [3, true])
  assert.deepEqual(lineOf([inlined(8)], [2, 2, 2, 2, 2], [[at(8)]], { [FILE]: report }), [8, false], 'V8 may not know it')
  const known = [node(2, 'drafts', 6, [3], { positionTicks: [{ line: 8, ticks: 7 }] }), node(3, 'weigh', 1)]
  assert.deepEqual(lineOf(known, [3, 2, 2, 2, 2, 2, 2, 2], [[at(8)]], { [FILE]: report }), [8, true], 'it does')
  // A function that was passed, and that has no samples.
  const given = report.with(7, '    sum += block()')
  const inBlock = [[at(20, 'block'), at(8)]]
  assert.deepEqual(lineOf([inlined(8)], [2, 2, 2, 2, 2], inBlock, { [FILE]: given }), [20, true], 'stacks know it')
  const other = report.with(7, '    sum += other(rows[i])')
  assert.equal(lineOf([inlined(3)], [2, 2, 2, 2, 2], [[at(7)]], { [FILE]: other })[0], 8, 'not if nothing calls it')
})

test('all that a line calls counts for it, not only the heaviest stack', () => {
  const report = ['function drafts (n) {', '  for (let i = 0; i < n; i++) {', '    for (let k = 0; k < 9; k++) sum += k', '    sum += analyse(i)', '  }', '}']
  const nodes = [drafts([[3, 1]], [3]), node(3, 'analyse', PACKAGE, [4, 5, 6]), ...[4, 5, 6].map((id) => node(id, `part${id}`, PACKAGE))]
  assert.deepEqual(lineOf(nodes, [2, 4, 5, 6, 4, 5], [[at(3)]], { [FILE]: report }), [4, true])
})

test('a few samples spread over lines leave a doubt', () => {
  assert.equal(lineOf([drafts([[4, 2], [5, 1], [3, 1]])], [2, 2, 2, 2], [[at(4)]])[1], false)
})

test('without samples a line is in doubt where another line of its loop makes a call', () => {
  assert.deepEqual(lineOf([], [], [[at(4)]]), [4, false])
  assert.deepEqual(lineOf([], [], [[builtin('push'), at(4)]]), [4, false], 'of built-ins, not each answers')
  assert.deepEqual(lineOf([], [], [[at(7, 'weigh', PACKAGE), at(4)]]), [4, true], 'unless stacks show it in a call')
  assert.deepEqual(lineOf([], [], [[at(4)]], { [FILE]: LOOP.with(2, '    const made = base') }), [4, true])
})

test('collections are of another line if the one with most samples allocates nothing', () => {
  const spread = LOOP.with(2, '    const made = [...rows, i]')
  const nodes = (/** @type {number} */ line) => [drafts([[line, 3]], [3]), node(3, '(garbage collector)', null)]
  const line = (/** @type {number} */ line, text = spread[line - 1]) =>
    lineOf(nodes(line), [2, 3, 2, 3, 2], [[at(line)]], { [FILE]: spread.with(line - 1, text) })
  assert.deepEqual(line(4), [4, false])
  assert.deepEqual(line(3), [3, true])
  assert.deepEqual(line(4, '    for (const row of rows) sum += weigh(row)'), [4, true])
})
