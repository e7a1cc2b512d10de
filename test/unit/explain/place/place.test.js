'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { cutProfiles } = require('../../../../lib/explain/profile/samples')
const { doubts } = require('../../../../lib/explain/place/place')
const { table } = require('../../../../lib/explain/place/points')
const { FILE, makeWindow, node, placed } = require('../../../support/profile')
const { makeRecord } = require('../../../support/record')

/** @typedef {import('../../../../lib/types').Frame} Frame */

const SOURCE = [
  'function report (rows) {', // 1
  '  for (const row of rows) {', // 2
  '    const text = JSON.stringify(row)', // 3
  '    for (let k = 0; k < 9; k++) sum += k', // 4
  '    sum += weigh(row)', // 5
  '  }',
  '  return sum', // 7
  '}',
  'function weigh (row) {', // 9
  '  for (const each of row) sum += each', // 10
  '  return sum',
  '}'
]
/** The same without a call below line 4. */
const CALM = SOURCE.with(4, '    sum += row.size')
const LAST = 5000

/** @param {number} line @param {string} [name] @returns {Frame} */
const at = (line, name = 'report') => ({ function: name, file: FILE, line, column: 3 })
/** @param {string} name @returns {Frame} */
const builtin = (name) => ({ function: name, file: null, line: null, column: null })

/**
 * The place of a block by samples in lines of `report` and by answers.
 * @param {object} evidence
 * @param {[number, number][]} [evidence.ticks] samples by line
 * @param {Frame[][]} [evidence.answers] stacks, each seen three times
 * @param {any[]} [evidence.others] more nodes, below the function with id 2, each with two samples
 * @param {object} [evidence.record] its differences @param {string[]} [evidence.source]
 * @param {boolean} [evidence.isBegunLate]
 */
function place ({ ticks = [], answers = [], others = [], record = {}, source = SOURCE, isBegunLate }) {
  const own = ticks.reduce((sum, [, count]) => sum + count, 0)
  const positionTicks = ticks.map(([line, count]) => ({ line, ticks: count }))
  const nodes = [
    node(1, '(root)', null, [2]),
    node(2, 'report', 1, others.map(({ id }) => id), { positionTicks }),
    ...others
  ]
  const samples = [...Array(own).fill(2), ...others.flatMap(({ id }) => [id, id])]
  const profile = samples.length === 0 ? null : cutProfiles([makeWindow(nodes, samples)], 1000, LAST)
  const stacks = answers.map((frames) => ({ count: 3, weightMs: 50, frames }))
  const frame = answers.length === 0 ? null : { ...answers[0].find(({ file }) => file === FILE), exact: true }
  const js = { cause: 'js', samples: 3 * answers.length, stacks, frame, evidence: makeRecord().evidence, durationMs: 200 }
  const lines = () => source
  const sources = {
    original: (/** @type {Frame} */ each) => each,
    runningRows: lines,
    sourceRows: lines,
    isBegunLate,
    placeOfLine: (/** @type {string} */ file, /** @type {number} */ line) => ({ file, line })
  }
  return placed(makeRecord(/** @type {any} */ ({ ...js, ...record })), profile, sources).frame
}

/** @param {Parameters<typeof place>[0]} evidence */
const lineOf = (evidence) => {
  const frame = place(evidence)
  return [frame?.line, frame?.exact]
}

/** @typedef {Parameters<typeof place>[0]} Shown */

/** By reason: evidence by which it decides, and the line. @type {Record<string, [Shown, number]>} */
const deciding = {
  samples: [{ ticks: [[4, 6], [3, 1]], answers: [[at(4)]] }, 4],
  answers: [{ ticks: [[3, 2], [4, 2]], answers: [[builtin('stringify'), at(3)]] }, 3],
  between: [{ ticks: [], answers: [[at(4)]], source: SOURCE.with(3, '    sum += row.size').with(4, '    sum += 1') }, 3],
  near: [{ ticks: [[4, 3], [5, 3]], source: SOURCE.with(3, '    sum += 1').with(4, '    sum += 1') }, 3],
  collections: [{ ticks: [[3, 1], [4, 1]], others: [node(3, '(garbage collector)', null)], record: { cause: 'gc' } }, 3],
  calls: [{ ticks: [[5, 2], [7, 2]] }, 5],
  within: [{ ticks: [], answers: [[at(10, 'weigh'), at(5)]] }, 10]
}

test('each reason for a line decides where the others do not', () => {
  for (const [name, [evidence, line]] of Object.entries(deciding)) assert.equal(place(evidence)?.line, line, name)
  assert.deepEqual(Object.keys(deciding), table.map(({ name }) => name))
})

test('a record names the largest reasons for its line first, at most three', () => {
  assert.deepEqual(place({ ticks: [[3, 6]], answers: [[builtin('stringify'), at(3)]] })?.because, ['samples', 'answers', 'calls'])
})

test('a clear lead makes a line certain, and fewer samples need a larger one', () => {
  assert.deepEqual(lineOf({ ticks: [[3, 9]], answers: [[builtin('stringify'), at(3)]] }), [3, true])
  assert.deepEqual(lineOf({ ticks: [[4, 5], [10, 4]], answers: [[at(4)]] }), [4, false])
})

/**
 * By doubt, in the order of the table: a line in doubt, and one that is certain; null: profiled.test.js has lines of
 * another time.
 * @type {([Shown, Shown] | null)[]}
 */
const doubtful = [
  [
    { answers: [[{ ...at(10, 'weigh'), compiled: true }], [{ ...at(10, 'weigh'), compiled: true }]] },
    { answers: [[at(10, 'weigh')], [at(10, 'weigh')]] }
  ],
  [{ ticks: [[4, 9]], record: { cause: 'native' } }, { ticks: [[3, 9]], record: { cause: 'native' } }],
  [{ ticks: [[5, 9]] }, { ticks: [[5, 9]], others: [node(3, 'weigh', 9, [], { positionTicks: [{ line: 10, ticks: 1 }] })] }],
  [
    { ticks: [[4, 3], [3, 2], [5, 2]], answers: [[at(4)], [at(4)]], source: CALM },
    { ticks: [[4, 20], [5, 1]], answers: [[at(4)], [at(4)]], source: CALM }
  ],
  [
    { ticks: [[4, 30]], answers: [[at(4)], [at(4)], [at(4)]] },
    { ticks: [[4, 30]], answers: [[at(4)], [at(4)], [at(4)]], source: CALM }
  ],
  [{ answers: [[at(10, 'weigh')], [at(10, 'weigh')]], record: { cause: 'unknown' } }, { answers: [[at(10, 'weigh')], [at(10, 'weigh')]] }],
  [{ answers: [[at(4)], [at(4)]] }, { answers: [[at(10, 'weigh')], [at(10, 'weigh')]] }],
  [{ ticks: [[3, 9]], record: { durationMs: 9000 } }, { ticks: [[3, 9]] }],
  null
]

test('answers in a function that a line calls and no sample shows, even late ones, leave the line in doubt', () => {
  const record = { evidence: { ...makeRecord().evidence, answerMs: 20 } }
  const source = SOURCE.with(4, '    sum += view.weigh(row)').with(8, 'exports.weigh = (row) => {')
  const call = node(3, 'verifyOneShot', 'node:internal/crypto/sig', [], { positionTicks: [{ line: 9, ticks: 2 }] })
  const exactWith = (/** @type {Frame[]} */ ...answer) =>
    place({ ticks: [[5, 9]], others: [call], answers: [answer, answer], record, source })?.exact
  assert.equal(exactWith(at(10, 'weigh'), at(5)), false)
  assert.equal(exactWith(at(5)), true)
})

test('each doubt leaves a line in doubt that is certain without it', () => {
  for (const [i, { when }] of doubts.entries()) {
    const lines = doubtful[i]
    assert.notEqual(lines, undefined, `add to doubtful: ${when}`)
    if (lines) assert.deepEqual([place(lines[0])?.exact, place(lines[1])?.exact], [false, true], when)
  }
})

test('samples at the head of a loop are of its body', () => {
  const source = SOURCE.with(2, '    sum += row').with(3, '    // more').with(4, '    // more')
  assert.deepEqual(lineOf({ ticks: [[2, 9]], answers: [[at(2)]], source }), [3, true])
})

test('samples of a function that V8 does not list are of the lines that answers show in it', () => {
  assert.deepEqual(lineOf({ ticks: [[5, 9]], answers: [[at(10, 'weigh'), at(5)]] }), [10, true])
})

test('a function whose lines have no samples is named where it begins, in doubt', () => {
  assert.deepEqual(lineOf({ others: [node(3, 'weigh', 9)] }), [9, false])
})

test('in a profile that began in a block, samples of a call are of the function with a loop that it calls, in doubt', () => {
  const frame = place({ ticks: [[5, 9]], isBegunLate: true })
  assert.deepEqual([frame?.function, frame?.line, frame?.exact], ['weigh', 9, false])
})
