'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { readBlocks } = require('../../lib/store/block-file')
const { makeDir } = require('../support/files')
const { runOnFullDisk } = require('../support/limited-disk')
const { needs } = require('../support/tools')

test('a disk that fills up in the middle of a record loses no other, leaks nothing, and is written again once there is room', (t) => {
  if (!needs(t, 'prlimit')) return
  const dir = makeDir(t)
  const { lostFull, lostStill, leaked, stateFull, stateFreed, lostFreed } = runOnFullDisk('records', dir)
  const { records, broken } = readBlocks(dir)
  assert.deepEqual(records.map(({ id }) => id), ['1-0', '1-99'], '1 KiB holds one record')
  assert.equal(broken, 1)
  assert.deepEqual({ lostFull, lostStill, lostFreed }, { lostFull: 4, lostStill: 10, lostFreed: 0 })
  assert.equal(leaked, 0)
  assert.ok(stateFull)
  assert.equal(stateFreed, null)
})
