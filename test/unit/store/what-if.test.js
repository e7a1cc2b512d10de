'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const { WhatIfFile, leavePrediction, predictionFor } = require('../../../lib/store/what-if')
const { makeDir } = require('../../support/files')
const { makePrediction } = require('../../support/prediction')

/** @param {import('node:test').TestContext} t */
function open (t) {
  const dir = makeDir(t)
  /** @type {string[]} */
  const told = []
  const file = path.join(dir, 'what-if.json')
  const whatIf = new WhatIfFile(dir, (name, error) => told.push(`${path.relative(dir, name)}: ${error.message}`))
  return { dir, file, told, read: () => whatIf.read() }
}

test('a prediction that was left in a folder is found there, also by an agent that runs already', (t) => {
  const { dir, told, read } = open(t)
  assert.deepEqual(read(), [])
  leavePrediction(path.join(dir, 'new', 'folder'), makePrediction())
  leavePrediction(dir, makePrediction())
  assert.deepEqual(read(), [makePrediction()])
  assert.deepEqual(told, [])
  assert.deepEqual(fs.readdirSync(dir).sort(), ['new', 'what-if.json'])
})

test('the newest prediction of a function replaces the earlier one, and the oldest of many go', (t) => {
  const { dir, file, read } = open(t)
  for (let i = 0; i < 30; i++) leavePrediction(dir, makePrediction({ function: `f${i}` }))
  leavePrediction(dir, makePrediction({ function: 'f25', verdict: 'does not pay' }))
  assert.deepEqual(read().map((each) => each.function), ['f25', 'f29', 'f28', 'f27', 'f26', 'f24', 'f23', 'f22', 'f21', 'f20'])
  assert.equal(read()[0].verdict, 'does not pay')
  // Signs that JSON writes as six each.
  for (let i = 0; i < 12; i++) leavePrediction(dir, makePrediction({ function: `${i}`, file: `/${'\u0001'.repeat(4000)}` }))
  assert.ok(fs.statSync(file).size <= 64 * 1024 && read().length > 0, `${fs.statSync(file).size}`)
})

test('a prediction is for the same function in the same file', () => {
  const predictions = [makePrediction(), makePrediction({ function: 'other' })]
  const frame = { function: 'report', file: '/srv/app/report.js', line: 99, column: 1 }
  assert.equal(predictionFor(predictions, frame), predictions[0])
  for (const other of [{ function: null }, { function: 'reports' }, { file: '/srv/report.js' }, { file: null }]) {
    assert.equal(predictionFor(predictions, { ...frame, ...other }), null)
  }
  assert.equal(predictionFor(predictions, null), null)
})

test('a file that is not ours is told once and ignored, until a good one takes its place', (t) => {
  const { dir, file, told, read } = open(t)
  const whole = { version: 1, predictions: [makePrediction()] }
  /** @type {[string, RegExp][]} */
  const bad = [
    ['', /JSON/],
    ['{"version":1,', /JSON/],
    ['null', /version/],
    ['[]', /version/],
    [JSON.stringify({ ...whole, version: 2 }), /its version is not 1/],
    [JSON.stringify({ version: 1 }), /no predictions/],
    [JSON.stringify({ version: 1, predictions: Array(11).fill(makePrediction()) }), /no predictions/],
    [`${JSON.stringify(whole)}${' '.repeat(70_000)}`, /more than 65536 bytes/]
  ]
  for (const wrong of [
    { function: 7 }, { function: '' }, { function: 'x'.repeat(401) }, { file: 'report.js' }, { line: -1 }, { line: '3' },
    { verdict: '<b>pays</b>' }, { reason: 1 }, { p99: null }, { p99: [{ work: 'GET /', beforeMs: '1', afterMs: 1 }] },
    { p99: Array(4).fill(makePrediction().p99[0]) }, { workMs: -1 }, { cloningMs: null }, { measuredAt: 'yesterday' },
    { measuredAt: undefined }, { how: 'x'.repeat(401) }
  ]) bad.push([JSON.stringify({ version: 1, predictions: [{ ...makePrediction(), ...wrong }] }), /no predictions/])
  for (const [i, [text, reason]] of bad.entries()) {
    leavePrediction(dir, makePrediction())
    assert.equal(read().length, 1, text)
    fs.writeFileSync(file, text)
    // Another size alone may not tell: some have the same.
    fs.utimesSync(file, 1000 + i, 1000 + i)
    assert.deepEqual([read(), read()], [[], []], text.slice(0, 200))
    assert.equal(told.length, i + 1, text.slice(0, 200))
    assert.match(told[i], reason)
  }
  fs.writeFileSync(file, '{}')
  fs.utimesSync(file, 5000, 5000)
  fs.writeFileSync(file, '[1]')
  assert.deepEqual([read(), told.length], [[], bad.length], 'bad again in another way is not news')
})

test('a pipe in its place is not waited for, and a folder is no file', (t) => {
  const { file, told, read } = open(t)
  assert.equal(spawnSync('mkfifo', [file]).status, 0)
  assert.deepEqual(read(), [])
  assert.match(told[0], /^what-if\.json: it cannot be read/)
  fs.rmSync(file)
  fs.mkdirSync(file)
  assert.deepEqual([read(), told.length], [[], 1])
})
