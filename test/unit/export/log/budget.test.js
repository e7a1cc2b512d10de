'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { LogBudget } = require('../../../../lib/export/log/budget')

/** @param {number} id @param {Partial<import('../../../../lib/types').BlockRecord>} [differences] */
const ended = (id, differences) => ({ id: `1-${id}`, durationMs: 100, ongoing: false, ...differences })

test('the first blocks of a burst are logged each, then one per second, and the rest is counted', () => {
  const budget = new LogBudget(0)
  const allowed = []
  for (let i = 0; i < 60; i++) {
    if (budget.allows(ended(i), i * 100)) allowed.push(i)
  }
  assert.deepEqual(allowed.slice(0, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(allowed.length, 10 + 5, `${allowed}`)
  assert.equal(budget.takeSuppressed(), 60 - 15)
  assert.equal(budget.takeSuppressed(), 0)
})

test('a calm spell fills the budget up again, and no further', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 20; i++) budget.allows(ended(i), 0)
  const after = [...Array(20).keys()].filter((i) => budget.allows(ended(100 + i), 3600000))
  assert.equal(after.length, 10)
})

test('a block is logged whole or not at all, even if the budget recovers in its middle', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 10; i++) budget.allows(ended(i), 0)
  assert.equal(budget.allows(ended(50, { ongoing: true }), 900), false)
  assert.equal(budget.allows(ended(50, { ongoing: true }), 1100), false, 'in progress')
  assert.equal(budget.allows(ended(50), 1200), false, 'at its end')
  assert.equal(budget.takeSuppressed(), 1)
  assert.equal(budget.allows(ended(51, { ongoing: true }), 1200), true)
  assert.equal(budget.allows(ended(51, { ongoing: true }), 1201), true, 'in progress')
  assert.equal(budget.allows(ended(51), 1202), true, 'at its end')
  assert.equal(budget.allows(ended(52), 1203), false)
})

test('a block of a second is logged whatever came before, from when it has lasted that long', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 100; i++) budget.allows(ended(i), 0)
  assert.equal(budget.allows(ended(100, { durationMs: 999 }), 0), false)
  assert.equal(budget.allows(ended(101, { durationMs: 1000 }), 0), true)
  assert.equal(budget.allows(ended(102, { durationMs: 60, ongoing: true }), 0), false)
  assert.equal(budget.allows(ended(102, { durationMs: 1000, ongoing: true }), 0), true)
  assert.equal(budget.allows(ended(102, { durationMs: 1500 }), 0), true)
  assert.equal(budget.takeSuppressed(), 91)
})
