'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RecentBlocks } = require('../../../../lib/watchdog/requests/recent-blocks')

test('the part of a request that blocks cover is exact for any number of them', () => {
  const blocks = new RecentBlocks()
  assert.equal(blocks.blockedMs(0, 1000, 1), 0)
  for (let i = 0; i < 1000; i++) blocks.add({ startMs: i * 100, endMs: i * 100 + 40, workIds: [i, 5000 + i] })
  assert.equal(blocks.blockedMs(99900, 99920, 1), 20)
  assert.equal(blocks.blockedMs(99020, 99920, 1), 20 + 8 * 40 + 20)
  assert.equal(blocks.blockedMs(99020, 99920, 999), 20 + 8 * 40)
  assert.equal(blocks.blockedMs(99020, 99920, 5999), 20 + 8 * 40, 'what it is part of is no victim either')
  assert.equal(blocks.blockedMs(99940, 99999, 1), 0)
})
