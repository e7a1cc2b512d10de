'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RecentBlocks } = require('../../../../lib/watchdog/requests/recent-blocks')
const { makeRecord } = require('../../../support/record')

const REQUEST = { method: 'GET', route: '/', startedAt: '2026-11-25T12:00:00.000Z', ended: false, traceId: null }
const WORK = /** @type {import('../../../../lib/types').WorkRecord} */ ({ kind: 'request', name: 'GET /', id: '1', parent: null, startedAt: REQUEST.startedAt, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false })

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

test('a record shows the final route of its request', () => {
  const blocks = new RecentBlocks()
  blocks.add({ startMs: 100, endMs: 400, workIds: [1] }, '7-1')
  const record = makeRecord({ id: '7-1', work: { ...WORK, id: '1', name: 'GET /a/1' }, request: { ...REQUEST, route: '/a/1' } })
  assert.equal(blocks.routed(record), record, 'it goes on')
  blocks.note({ startMs: 90, endMs: 450, id: 1, hasWaited: false, name: 'GET /a/:id', route: '/a/:id' })
  const { work, request } = blocks.routed(record)
  assert.deepEqual([work?.name, request?.route], ['GET /a/:id', '/a/:id'])
  for (const differences of [{ work: { ...WORK, id: '2' } }, { work: { ...WORK, kind: /** @type {const} */ ('job'), id: '1' } }, { work: null, request: null }]) {
    const other = { ...record, ...differences }
    assert.equal(blocks.routed(other), other)
  }
  blocks.note({ startMs: 90, endMs: 450, id: 1, hasWaited: false, name: 'GET (other)', route: '(other)' })
  assert.equal(blocks.routed(record).request?.route, '/a/:id')
})

test('a block that nothing shows names the only request that it can have been, in doubt', () => {
  const untold = { samples: 0, work: null, request: null, startedAt: '2026-11-25T12:00:00.000Z' }
  /** @param {object[]} requests @param {object} [differences] */
  const named = (requests, differences) => {
    const blocks = new RecentBlocks()
    blocks.add({ startMs: 100, endMs: 400, workIds: [] }, '7-1')
    for (const [id, request] of requests.entries()) {
      blocks.note({ startMs: 105, endMs: 401, id, hasWaited: false, name: 'GET /a/:id', route: '/a/:id', ...request })
    }
    const { work, request } = blocks.routed(makeRecord({ id: '7-1', ...untold, ...differences }))
    return work && [work.name, work.exact, request?.route, request?.exact, request?.startedAt, blocks.waitsFor('7-1').requests]
  }
  assert.deepEqual(named([{}]), ['GET /a/:id', false, '/a/:id', false, '2026-11-25T12:00:00.005Z', 0])
  assert.equal(named([]), null)
  assert.equal(named([{}, {}]), null, 'several')
  assert.equal(named([{ startMs: 50, endMs: 95 }]), null, 'it was over by then')
  assert.equal(named([{ startMs: 300 }]), null, 'most of the block was over')
  assert.equal(named([{ route: '(other)' }]), null)
  assert.equal(named([{}], { samples: 1 }), null, 'an answer showed none')
  for (const cause of /** @type {const} */ (['gc', 'starved', 'suspended', 'unknown'])) assert.equal(named([{}], { cause }), null, cause)
})
