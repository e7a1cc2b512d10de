'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { conclusionIn, markedRows, shownStacks } = require('../../../lib/util/shown-stacks')
const { frameText } = require('../../../lib/util/place-text')
const { makeRecord } = require('../../support/record')

/** @import { BlockRecord } from '../../../lib/types' */

const FILE = '/srv/app/prices.js'
const NO_PARTS = { js: 0, native: 0, gc: 0, asleep: 0, waiting: 0, stopped: 0, unexplained: 0 }

/** @param {string | null} name @param {number} line @param {string} [file] */
const frame = (name, line, file = FILE) => ({ function: name, file, line, column: 3 })
const answers = [{ count: 1, weightMs: 300, frames: [frame('load', 11)] }]
const samples = [{ count: 9, weightMs: 290, frames: [frame('load', 10)] }]

/** Of a block of 310 ms. @param {number} nativeMs @param {Partial<BlockRecord>} [differences] */
const shown = (nativeMs, differences) => shownStacks(makeRecord({
  durationMs: 310,
  evidence: { ...makeRecord().evidence, nativeMs },
  stacks: answers,
  profile: { samples: 9, call: null, stacks: samples },
  ...differences
}))

test('answers to interrupts are shown if they came in time, whatever the cause', () => {
  for (const cause of /** @type {const} */ (['js', 'native', 'sync-io'])) {
    assert.deepEqual(shown(20, { cause }), { isProfiled: false, stacks: answers }, cause)
  }
})

test('the CPU profile is shown if calls held up the answers for most of the time of the code', () => {
  assert.deepEqual(shown(290), { isProfiled: true, stacks: samples })
  assert.deepEqual(shown(110), { isProfiled: false, stacks: answers })
  const waiting = { parts: { ...NO_PARTS, native: 110, waiting: 200 } }
  assert.deepEqual(shown(110, waiting), { isProfiled: true, stacks: samples }, 'it waited for a CPU meanwhile')
})

test('the CPU profile is shown of a block without an answer', () => {
  assert.deepEqual(shown(0, { stacks: [] }), { isProfiled: true, stacks: samples })
})

test('the kind of stacks is shown that has the function of the line', () => {
  const late = [{ count: 1, weightMs: 300, frames: [frame('(anonymous)', 127, 'node:internal/perf/observe')] }]
  const place = { ...frame('load', 10), exact: true }
  assert.deepEqual(shown(20, { frame: place, stacks: late }), { isProfiled: true, stacks: samples })
  const profile = { samples: 9, call: null, stacks: late }
  assert.deepEqual(shown(290, { frame: place, profile }), { isProfiled: false, stacks: answers })
})

test('answers are shown of a block of collections, which held them up', () => {
  assert.deepEqual(shown(300, { cause: 'gc', parts: { ...NO_PARTS, gc: 305 } }), { isProfiled: false, stacks: answers })
})

test('without a function in the CPU profile, late answers are shown', () => {
  const idle = [{ count: 2, weightMs: 50, frames: [{ function: '(idle)', file: null, line: null, column: null }] }]
  for (const profile of [null, undefined, ...[[], idle].map((none) => ({ samples: 9, call: null, stacks: none }))]) {
    assert.deepEqual(shown(290, { profile }), { isProfiled: false, stacks: answers })
  }
})

/** @param {number} line @param {boolean} [exact] @param {string} [name] */
const concluded = (line, exact = true, name = 'load') => ({ ...frame(name, line), exact })
const ROWS = [frame('load', 11), frame('handler', 40)].map(frameText)

test('a stack that has the concluded line is shown without a mark', () => {
  assert.equal(conclusionIn(ROWS, concluded(11)), null)
  assert.equal(conclusionIn(ROWS, concluded(40, false, 'handler')), null)
  assert.equal(conclusionIn(ROWS, null), null)
})

test('the concluded line is marked next to its function where the stack has another one', () => {
  assert.deepEqual(markedRows(ROWS, concluded(10)), [
    'at load (/srv/app/prices.js:11:3), concluded: line 10', 'at handler (/srv/app/prices.js:40:3)'
  ])
  assert.equal(markedRows(ROWS, concluded(1, false))[0], 'at load (/srv/app/prices.js:11:3), concluded: ≈ line 1')
})

test('a concluded function that is not in the stack is named before it', () => {
  assert.deepEqual(markedRows(ROWS, concluded(14, true, 'parse'), '  '), [
    '  concluded: parse (/srv/app/prices.js:14:3)', '  at load (/srv/app/prices.js:11:3)', '  at handler (/srv/app/prices.js:40:3)'
  ])
})
