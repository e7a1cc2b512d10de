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

test('who waited for a block is counted by route, told once, and forgotten with the block', () => {
  const blocks = new RecentBlocks()
  blocks.add({ startMs: 100, endMs: 400, workIds: [1] }, '7-1')
  const request = { id: 2, hasWaited: false, name: 'GET /ping' }
  blocks.note({ ...request, startMs: 90, endMs: 450 })
  blocks.note({ ...request, startMs: 350, endMs: 450 })
  blocks.note({ ...request, id: 1, startMs: 50, endMs: 450 })
  blocks.note({ ...request, startMs: 401, endMs: 450 })
  blocks.note({ ...request, startMs: 401, endMs: 450, hasWaited: true, name: 'GET /late' })
  blocks.note({ ...request, startMs: 10, endMs: 100 })
  const waits = { requests: 3, longestMs: 300, routes: [{ name: 'GET /ping', count: 2, longestMs: 300 }, { name: 'GET /late', count: 1, longestMs: 150 }] }
  assert.deepEqual(blocks.waitsFor('7-1'), waits)
  assert.deepEqual(blocks.takeWaits(), [{ id: '7-1', ...waits }])
  assert.deepEqual([blocks.takeWaits().length, blocks.takeWaits(true).length], [0, 1])
  for (let i = 0; i < 600; i++) blocks.add({ startMs: 1000 + i * 10, endMs: 1005 + i * 10, workIds: [] }, `8-${i}`)
  assert.deepEqual(blocks.waitsFor('7-1'), { requests: 0, longestMs: 0, routes: [] })
})
