'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { stretchOf } = require('../../../../lib/cli/test/runs')

const first = { startMs: 0, endMs: 200, cpuMs: 198 }
const second = { startMs: 200, endMs: 400, cpuMs: 190 }

test('a block is the stretch in which it mostly was, not one that it touches', () => {
  assert.equal(stretchOf([first, second], 199.5, 399), second)
  assert.equal(stretchOf([first, second], 0.5, 200.4), first)
  assert.equal(stretchOf([first, second], 450, 600), null)
})

test('the stretch with the most CPU time counts if a block has several', () => {
  assert.equal(stretchOf([second, first], 0, 400), first)
  assert.equal(stretchOf([first], -5000, 5000), first, 'a long block of a thread that was kept waiting')
})
