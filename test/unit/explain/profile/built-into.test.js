'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { isBuiltInto } = require('../../../../lib/explain/profile/profiled-function')
const { makeRecord } = require('../../../support/record')

const FILE = '/srv/app.js'
const frame = (/** @type {string | null} */ name, /** @type {number} */ line, column = 1) =>
  ({ function: name, file: FILE, line, column, exact: true })

/** Whether `work`, which stacks show within a call of a line, counts as inlined into it. @param {string} call */
const isInlined = (call) => {
  const column = call.search(/[\w$]+\(/) + 1
  const frames = [frame('work', 30), frame('caller', 2, column)]
  const record = makeRecord({ samples: 9, frame: frame('work', 30), stacks: [{ count: 9, weightMs: 200, frames }] })
  return isBuiltInto(record, frame('caller', 2), { textOf: () => ['', call], passesOn: () => false })
}

test('a function that is called in the line by its name, as a method or an argument may be inlined', () => {
  for (const call of ['work(rows)', 'this.work(rows)', 'rows.map(work)']) assert.equal(isInlined(call), true, call)
})

test('so may one that a built-in calls under another name, which V8 inlines with it', () => {
  for (const call of ['fn.call(this, 1)', 'handler.apply(this, args)', 'rows.forEach(fn)']) assert.equal(isInlined(call), true, call)
})

test('a method of another name that is no such built-in is native and called the function, as SQL does', () => {
  assert.equal(isInlined('statement.get(1)'), false)
})
