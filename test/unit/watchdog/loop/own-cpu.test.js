'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OwnCpu } = require('../../../../lib/watchdog/loop/block-facts')

/** @param {...[number, number | null | undefined]} readings when, and CPU time */
function ownCpu (...readings) {
  const own = new OwnCpu()
  for (const [atMs, cpuMs] of readings) own.add({ atMs, cpuMs })
  return own
}

test('a thread\'s CPU time within a block is what two of its readings say, for as long as that lasts', () => {
  assert.equal(ownCpu([1000, 70], [1100, 170]).within(1000, 100), 100)
  assert.equal(ownCpu([1000, 70], [1050, 70.5], [1100, 71]).within(1000, 100), 1, 'the first and the last')
  assert.equal(ownCpu([1000, 70], [1080, 110]).within(1000, 100), 50, 'the rest as what is known')
  assert.equal(ownCpu([980, 70], [1100, 170]).within(1000, 100), 100, 'the loop waited between the beat and the block')
  assert.equal(ownCpu([1000, 70], [1090, 200]).within(1000, 100), 100, 'never more than it lasted')
})

test('too few readings of CPU time, or none, give null', () => {
  assert.equal(ownCpu().within(1000, 100), null)
  assert.equal(ownCpu([1000, null], [1050, undefined]).within(1000, 100), null)
  assert.equal(ownCpu([1000, 70]).within(1000, 100), null)
  assert.equal(ownCpu([1000, 70], [1059, 129]).within(1000, 100), null, 'it may sleep since')
  assert.equal(ownCpu([1000, 70], [1060, 130]).within(1000, 100), 100)
  assert.equal(ownCpu([900, 70], [1000, 170]).within(1000, 100), null, 'all of it before')
})
