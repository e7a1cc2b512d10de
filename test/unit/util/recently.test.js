'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Recently } = require('../../../lib/util/recently')

test('what happens once is recent until it has been quiet for as long', () => {
  const recently = new Recently({ withinMs: 100 })
  assert.equal(recently.isOn(0), false)
  recently.add(10)
  recently.add(50)
  assert.deepEqual([50, 149, 150, 151].map((nowMs) => recently.isOn(nowMs)), [true, true, false, false])
  recently.add(200)
  assert.equal(recently.isOn(200), true)
})

test('what has to happen three times is recent when the last three are within the time', () => {
  const recently = new Recently({ times: 3, withinMs: 100 })
  for (const atMs of [0, 90]) recently.add(atMs)
  assert.equal(recently.isOn(90), false, 'twice')
  recently.add(101)
  assert.equal(recently.isOn(101), false, 'the first is too old')
  recently.add(120)
  assert.deepEqual([120, 189, 190].map((nowMs) => recently.isOn(nowMs)), [true, true, false])
})
