'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { excerptOf } = require('../../../../lib/explain/advice/excerpt')
const { makeRecord } = require('../../../support/record')

const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`)
/** @param {number} line @param {number} weightMs */
const stack = (line, weightMs) => ({ count: 1, weightMs, frames: [{ function: 'f', file: null, line: null, column: null }, { function: 'report', file: '/srv/app/report.js', line, column: 1 }] })

test('four lines before and after, with the share of the samples in each', () => {
  const { lines: shown = [] } = excerptOf(makeRecord({ stacks: [stack(41, 300), stack(39, 100)] }), lines) ?? {}
  assert.deepEqual(shown.map(({ line }) => line), [37, 38, 39, 40, 41, 42, 43, 44, 45])
  assert.deepEqual(shown.filter(({ share }) => share > 0), [{ line: 39, text: 'line 39', share: 0.25 }, { line: 41, text: 'line 41', share: 0.75 }])
})

test('a profile that saw the line counts before stacks that came late', () => {
  const profile = { samples: 9, call: 'JSON.parse', stacks: [{ count: 9, weightMs: 300, frames: [{ function: 'report', file: '/srv/app/report.js', line: 41, column: 1 }] }] }
  const { lines: shown = [] } = excerptOf(makeRecord({ stacks: [stack(42, 300)], profile }), lines) ?? {}
  assert.deepEqual(shown.filter(({ share }) => share > 0).map(({ line }) => line), [41])
})

test('the begin and the end of a file bound it, a long line is cut, and a line that is not there is not shown', () => {
  const at = (/** @type {number} */ line) => makeRecord({ frame: { function: 'report', file: '/srv/app/report.js', line, column: 1, exact: true } })
  assert.equal(excerptOf(at(1), ['x'.repeat(5000), 'b'])?.lines[0].text.length, 200)
  assert.deepEqual(excerptOf(at(60), lines)?.lines.map(({ line }) => line), [56, 57, 58, 59, 60])
  assert.equal(excerptOf(at(61), lines), null)
  assert.equal(excerptOf(makeRecord({ frame: null }), lines), null)
})
