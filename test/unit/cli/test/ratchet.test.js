'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { offencesOf } = require('../../../../lib/cli/test/offences')
const { compare, readRatchet, updated, writeRatchet } = require('../../../../lib/cli/test/ratchet')
const { makeDir } = require('../../../support/files')
const { makeOffence } = require('../../../support/offence')
const { makeRecord } = require('../../../support/record')

const JUDGED = { ownMs: 100, excuse: null, stretch: null, test: { file: 'a', name: 't', others: 0 } }

/** @param {number} longestMs */
const known = (longestMs) => ({ allow: [], blocks: [{ file: 'lib/report.js', function: 'report', longestMs }] })

/**
 * @param {Partial<import('../../../../lib/cli/test/offences').Offence>} differences
 * @param {import('../../../../lib/cli/test/ratchet').Ratchet} ratchet
 */
function stateOf (differences, ratchet) {
  const offence = makeOffence(differences)
  compare([offence], ratchet)
  return offence.state
}

test('new and clearly longer blocks fail, known ones do not', () => {
  assert.equal(stateOf({}, { allow: [], blocks: [] }), 'new')
  assert.equal(stateOf({ longestMs: 120 }, known(100)), 'known')
  assert.equal(stateOf({ longestMs: 151 }, known(100)), 'longer')
  // Half as long again, but by no more than a machine's mood.
  assert.equal(stateOf({ longestMs: 50 }, known(31)), 'known')
  assert.equal(stateOf({ line: 99 }, known(120)), 'known')
  assert.equal(stateOf({ function: 'other' }, known(120)), 'new')
})

test('a known function without a name hides no other one of its file, nor does its block that moved become new', (t) => {
  const dir = makeDir(t)
  const file = path.join(dir, 'report.js')
  const code = 'function total () {\n  return rows.map((row) => work(row))\n}\nfunction mean () {\n  return rows.map((row) => work(row))\n}\n'
  const offenceAt = (/** @type {number} */ line) => {
    const record = makeRecord({ frame: { function: 'callback of rows.map', file, line, column: 28, exact: true } })
    const [offence] = offencesOf([{ record, ...JUDGED }], dir)
    return offence
  }
  fs.writeFileSync(file, code)
  const first = offenceAt(2)
  assert.deepEqual([first.function, first.within], ['callback of rows.map', 'total'])
  compare([first], { allow: [], blocks: [] })
  const ratchet = updated({ allow: [], blocks: [] }, [first])
  assert.deepEqual(ratchet.blocks, [{ file: 'report.js', function: 'callback of rows.map', within: 'total', longestMs: 100 }])
  writeRatchet(path.join(dir, 'loopwatch.json'), ratchet)
  const other = offenceAt(5)
  compare([other], readRatchet(path.join(dir, 'loopwatch.json')))
  assert.equal(other.state, 'new')
  fs.writeFileSync(file, `\n\n\n\n\n${code}`)
  const moved = offenceAt(7)
  compare([moved], ratchet)
  assert.equal(moved.state, 'known')
})

test('functions without a name whose source says nothing are told apart by their tests', () => {
  const offences = ['one', 'two'].map((name) => {
    const record = makeRecord({ frame: { function: null, file: '/gone/a.js', line: 3, column: 1, exact: true } })
    return { record, ...JUDGED, test: { ...JUDGED.test, name } }
  })
  assert.deepEqual(offencesOf(offences, '/').map(({ within }) => within).sort(), ['one', 'two'])
})

test('known blocks that are gone are listed', () => {
  assert.deepEqual(compare([], known(100)).gone, known(100).blocks)
  assert.deepEqual(compare([makeOffence()], known(100)).gone, [])
})

test('a file pattern, a package and a function are allowed, and all that an entry names must hold', () => {
  const allows = (/** @type {object} */ allow, differences = {}) => stateOf(differences, { allow: [allow], blocks: [] }) === 'allowed'
  for (const file of ['lib/report.js', 'lib/*.js', '**/report.js', 'lib/**', '**', 'lib/repor?.js']) assert.ok(allows({ file }), file)
  for (const file of ['report.js', '*.js', 'lib', 'lib/report', 'libxreport.js', 'lib/**/x.js']) assert.ok(!allows({ file }), file)
  assert.ok(allows({ package: 'moment' }, { package: 'moment' }))
  assert.ok(!allows({ package: 'moment' }))
  assert.ok(allows({ function: 'report', file: 'lib/**' }))
  assert.ok(!allows({ function: 'report', file: 'test/**' }))
})

test('a second update changes nothing, whatever the order and the machine\'s mood', (t) => {
  const file = path.join(makeDir(t), 'loopwatch.json')
  const offences = [makeOffence({ longestMs: 123 }), makeOffence({ file: 'lib/a.js', longestMs: 77 })]
  compare(offences, readRatchet(file))
  writeRatchet(file, updated({ allow: [{ function: 'x' }], blocks: [] }, offences))
  const first = fs.readFileSync(file, 'utf8')
  assert.deepEqual(JSON.parse(first), {
    allow: [{ function: 'x' }],
    blocks: [{ file: 'lib/a.js', function: 'report', longestMs: 80 }, { file: 'lib/report.js', function: 'report', longestMs: 130 }]
  })
  const again = [makeOffence({ file: 'lib/a.js', longestMs: 70 }), makeOffence({ longestMs: 150 })]
  const ratchet = readRatchet(file)
  compare(again, ratchet)
  writeRatchet(file, updated(ratchet, again))
  assert.equal(fs.readFileSync(file, 'utf8'), first)
})

test('a file that cannot be read says why', (t) => {
  const file = path.join(makeDir(t), 'loopwatch.json')
  assert.deepEqual(readRatchet(file), { allow: [], blocks: [], calls: [] })
  const cases = {
    '{\n<<<<<<< HEAD\n=======\n>>>>>>> x\n}': /has a merge conflict/,
    '{ "blocks": [': /is not JSON: /,
    '[]': /must be an object with "allow", "blocks" and "calls"/,
    '{ "allows": [] }': /has an unknown key "allows"/,
    '{ "allow": {} }': /must have lists/,
    '{ "allow": [{ "reason": "no place" }] }': /allow\[0\] takes strings/,
    '{ "allow": [{ "files": "x" }] }': /allow\[0\] takes strings/,
    '{ "blocks": [{ "file": "a", "function": "b" }] }': /blocks\[0\] takes a "file"/,
    '{ "calls": {} }': /must have lists/,
    '{ "calls": [{ "file": "a", "function": "b" }] }': /calls\[0\] takes a "file"/
  }
  for (const [text, message] of Object.entries(cases)) {
    fs.writeFileSync(file, text)
    assert.throws(() => readRatchet(file), (/** @type {any} */ error) => error.code === 'LOOPWATCH_ERR_RATCHET' && message.test(error.message) && error.message.startsWith(file), text)
  }
  assert.throws(() => readRatchet(path.dirname(file)), { code: 'LOOPWATCH_ERR_RATCHET', message: /cannot be read/ })
})
