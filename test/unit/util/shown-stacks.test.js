'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { conclusionIn, markedRows, shownStacks } = require('../../../lib/util/shown-stacks')
const { frameText } = require('../../../lib/util/sentence')
const { makeRecord } = require('../../support/record')

/** @import { BlockParts, BlockRecord } from '../../../lib/types' */

const FILE = '/srv/app/prices.js'
const NO_PARTS = { js: 0, native: 0, gc: 0, asleep: 0, waiting: 0, stopped: 0, unexplained: 0 }

/** @param {string | null} name @param {number} line @param {string} [file] */
const frame = (name, line, file = FILE) => ({ function: name, file, line, column: 3 })
const answers = [{ count: 1, weightMs: 300, frames: [frame('load', 11)] }]
const samples = [{ count: 9, weightMs: 290, frames: [frame('load', 10)] }]

/** @param {Partial<BlockRecord>} [differences] @param {Partial<BlockParts>} [parts] */
const shown = (differences = {}, parts = { js: 300 }) => shownStacks(makeRecord({
  stacks: answers,
  profile: { samples: 9, call: null, stacks: samples },
  parts: { ...NO_PARTS, ...parts },
  ...differences
}))

test('answers to interrupts are shown of a block of JavaScript and of one of collections', () => {
  assert.deepEqual(shown(), { isProfiled: false, stacks: answers })
  assert.deepEqual(shown({ cause: 'gc' }, { gc: 300 }), { isProfiled: false, stacks: answers })
})

test('the CPU profile is shown of a block whose calls answered no interrupt, and where there is no answer', () => {
  for (const [cause, parts] of /** @type {[BlockRecord['cause'], Partial<BlockParts>][]} */ ([
    ['native', { native: 300 }], ['sync-io', { asleep: 300 }], ['many', { native: 100, asleep: 60, js: 140 }]
  ])) assert.deepEqual(shown({ cause }, parts), { isProfiled: true, stacks: samples }, cause)
  assert.deepEqual(shown({ stacks: [] }), { isProfiled: true, stacks: samples })
})

test('without a function in the CPU profile, late answers are shown', () => {
  const idle = [{ count: 2, weightMs: 50, frames: [{ function: '(idle)', file: null, line: null, column: null }] }]
  for (const profile of [null, undefined, ...[[], idle].map((none) => ({ samples: 9, call: null, stacks: none }))]) {
    assert.deepEqual(shown({ cause: 'native', profile }, { native: 300 }), { isProfiled: false, stacks: answers })
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
