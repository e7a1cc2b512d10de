'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { cutProfiles } = require('../../../../lib/explain/profile/samples')
const { FILE, makeWindow, node, SOURCE, placed } = require('../../../support/profile')
const { makeRecord } = require('../../../support/record')

const NODES = [
  node(1, '(root)', null, [2, 3, 4, 6]),
  node(2, 'load', 1, [], { hitCount: 1, positionTicks: [{ line: 3, ticks: 1 }] }),
  node(3, 'seal', 5, [], { hitCount: 1, positionTicks: [{ line: 7, ticks: 1 }] }),
  node(4, 'handle', 1, [5]),
  node(5, 'get', 'node:internal/util'),
  node(6, '(garbage collector)', null)
]
/** The caller, to which a native call returned. */
const AFTER = { function: 'handle', file: FILE, line: 9, column: 3, exact: true }
/** @type {any} */
const SOURCES = {
  original: (/** @type {any} */ frame) => frame,
  runningRows: () => SOURCE,
  sourceRows: () => SOURCE,
  placeOfLine: (/** @type {string} */ file, /** @type {number} */ line) => ({ file, line })
}

/** A block of 50 ms. @param {object} evidence @param {object} [more] */
const answered = (evidence, more) => makeRecord({
  durationMs: 50,
  samples: 1,
  frame: AFTER,
  stacks: [{ count: 1, weightMs: 50, frames: [AFTER] }],
  evidence: { ...makeRecord().evidence, cpuMs: 50, ...evidence },
  ...more
})

/**
 * The function to blame, its line, and whether that is certain. A sample comes every 10 ms.
 * @param {ReturnType<typeof makeRecord>} record @param {number[]} ids
 */
function blamed (record, ids) {
  const profile = /** @type {any} */ (cutProfiles([makeWindow(NODES, ids)], 1000, 1050))
  const { frame } = placed(record, profile, SOURCES)
  return [frame?.function, frame?.line, frame?.exact]
}

test('one sample within a native call outweighs the answer after it, with a doubt', () => {
  assert.deepEqual(blamed(answered({ nativeMs: 50, answerMs: 12 }, { cause: 'native' }), [2]), ['load', 3, false])
})

test('one sample outweighs one answer of another function, with a doubt, which more samples and answers of one line end', () => {
  assert.deepEqual(blamed(answered({ nativeMs: 0, answerMs: 8 }), [2]), ['load', 3, false])
  const frame = { ...AFTER, function: 'load', line: 3 }
  const same = (/** @type {number} */ count) =>
    answered({ nativeMs: 0 }, { frame, samples: count, stacks: [{ count, weightMs: 50, frames: [frame] }] })
  assert.deepEqual(blamed(same(2), [2, 2, 2]), ['load', 3, true])
})

test('an answer that a call has delayed is in doubt, if nothing else tells the line', () => {
  const delayed = answered({ nativeMs: 0, answerMs: 8 })
  assert.deepEqual(blamed(delayed, [6]), ['handle', 9, false])
  assert.equal(placed(delayed, null, SOURCES).frame?.exact, false)
})

test('a sample stands for the time around it, not only for the time before', () => {
  const profile = /** @type {any} */ (cutProfiles([makeWindow(NODES, [2, 2, 2, 3])], 1010, 1041))
  const { stacks } = /** @type {any} */ (placed(makeRecord(), profile, SOURCES).profile)
  assert.deepEqual(stacks.map((/** @type {any} */ { weightMs }) => weightMs), [25, 6])
})

test('reading a global of Node.js takes no time: an interrupt was answered there', () => {
  const native = answered({ nativeMs: 50, answerMs: 12 }, { cause: 'native' })
  assert.deepEqual(blamed(native, [3, 3, 5, 5, 5]), ['seal', 7, true])
})

test('code made at run time is JavaScript, whatever of Node.js runs it', () => {
  const nodes = [
    node(1, '(root)', null, [2]),
    node(2, 'load', 1, [3]),
    node(3, 'runInContext', 'node:vm', [4]),
    node(4, 'runInContext', null, [5, 7]),
    node(5, '', 'function node', [6]),
    node(6, 'spin', 5),
    node(7, 'compileFunction', null)
  ]
  const told = (/** @type {number[]} */ ids) => {
    const record = answered({ nativeMs: 0 }, { samples: 0, cause: 'unknown', frame: null, stacks: [] })
    const cut = /** @type {any} */ (cutProfiles([makeWindow(nodes, ids)], 1000, 1050))
    const source = SOURCE.with(1, '  const first = vm.runInContext(code, context)')
    const { cause, profile } = placed(record, cut, { ...SOURCES, runningRows: () => source, sourceRows: () => source })
    return [cause, profile?.call]
  }
  assert.deepEqual(told([5, 5, 5]), ['js', null])
  assert.deepEqual(told([6, 6, 5]), ['js', null])
  assert.deepEqual(told([7, 7, 7]), ['native', 'runInContext'])
})
