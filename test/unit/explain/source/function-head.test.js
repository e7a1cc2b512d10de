'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { withoutEntered } = require('../../../../lib/explain/fold')
const { bodyAfter } = require('../../../../lib/explain/source/function-names')
const { Fold } = require('../../../../lib/watchdog/loop/sample-fold')
const { SourceReader } = require('../../../../lib/watchdog/source/source-reader')
const { makeDir } = require('../../../support/files')

test('a function begins with its parameters, whatever its kind', () => {
  for (const text of [
    '(data) {', '() {}', '(a, b) => a', 'data => data', '$é_1=>0', '(a = f(1), { b, c } = {}) {', '(a /* ) */, b = ")", c = `) (`) {',
    '(a, // the ) first\n b) {', '(data: Buffer): number {', '(a) : Promise<void> => {', 'async (a) => {', 'async a => a', 'async => 1', 'async  => 1'
  ]) assert.notEqual(bodyAfter(text, 0), null, text)
  for (const text of ['(data)', '(data) + 1', '(data), (a) => a', 'data', 'data)', 'compute(data) {', 'data = x => x', '((a) => a)(b)', '(a', '', ' (a) {', '("(") ? {} : 0', 'async (a)', 'asynchronous (a) {', 'async function (a) {']) {
    assert.equal(bodyAfter(text, 0), null, text)
  }
})

test('a place is looked up in the file, once; what runs otherwise than it is written is none', (t) => {
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, 'first\nfunction compute (data) {\n  return data\n}\n')
  let reads = 0
  const read = (/** @type {string} */ name) => {
    reads++
    return name === file ? fs.readFileSync(name, 'utf8') : null
  }
  const { frames } = new SourceReader({ post: () => {}, say: () => {}, stripsTypes: false, read })
  const at = (/** @type {number | null} */ line, /** @type {number | null} */ column, /** @type {string | null} */ name = file) => frames.isJustEntered([{ function: 'compute', file: name, line, column }])
  assert.deepEqual([at(2, 18), at(2, 18), at(3, 10), at(2, 10), at(99, 1)], [true, true, false, false, false])
  assert.equal(reads, 1)
  assert.deepEqual([at(1, 1, null), at(null, null), at(1, 1, 'node:fs'), at(2, 18, '/in-memory.ts'), at(1, 1, '/gone.js')], [false, false, false, false, false])
})

test('a function that is entered as the answer comes has not kept it, unless it is seen so again and again', () => {
  const frame = (/** @type {string} */ name, /** @type {string | null} */ file = '/srv/app.js') =>
    ({ function: name, file, line: 1, column: 1 })
  const sample = { weightMs: 100, late: true, isJustEntered: true, request: null }
  const stackOf = (/** @type {Partial<typeof sample>[]} */ samples, frames = [frame('compute'), frame('handler')]) => {
    const fold = new Fold()
    for (const each of samples) fold.add({ ...sample, ...each, frames })
    return fold.stacks[0]
  }
  const blamedOf = (/** @type {Parameters<typeof stackOf>} */ ...args) =>
    withoutEntered(stackOf(...args)).frames.map((each) => each.function)
  assert.deepEqual(blamedOf([{}]), ['handler'])
  assert.deepEqual(blamedOf([{}, {}]), ['compute', 'handler'])
  assert.deepEqual(blamedOf([{ isJustEntered: false }]), ['compute', 'handler'])
  const again = { late: false, isJustEntered: false, weightMs: 5 }
  const askedAgain = [{ late: false }, again]
  assert.deepEqual(blamedOf(askedAgain), ['handler'], 'asked again while it answered')
  assert.deepEqual(blamedOf([...askedAgain, ...Array(20).fill(again)]), ['compute', 'handler'], 'and then it worked on')
  assert.deepEqual(blamedOf([{}], [frame('compute'), frame('tick', 'node:internal/timers')]), ['compute', 'tick'], 'nobody else is there to blame')
  assert.deepEqual(stackOf([{}]).frames.map((each) => each.function), ['compute', 'handler'], 'the stack is whole')
})
