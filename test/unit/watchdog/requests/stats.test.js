'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { pack } = require('../../../../lib/bridge/request-row')
const { RouteNumbers } = require('../../../../lib/host/work/http/route-numbers')
const { RecentBlocks } = require('../../../../lib/watchdog/requests/recent-blocks')
const { RequestStats } = require('../../../../lib/watchdog/requests/stats')

/** Stats over a bridge, with what they told the metrics. */
function makeStats ({ routes = 50 } = {}) {
  const bridge = openBridge(createMemory())
  /** @type {any[]} */
  const told = []
  const numbers = new RouteNumbers(bridge.routes, routes)
  const metrics = /** @type {any} */ ({
    requestSeries: (/** @type {string} */ route, /** @type {string} */ method, /** @type {string} */ status) => ({ observe: (/** @type {number} */ seconds) => told.push(['duration', method, route, status, seconds]) }),
    requestBlockedSeries: (/** @type {string} */ route) => ({ observe: (/** @type {number} */ seconds) => told.push(['blocked', route, seconds]) }),
    overflowed: (/** @type {string} */ label) => told.push(['overflow', label])
  })
  const blocks = new RecentBlocks()
  const stats = new RequestStats(bridge, metrics, blocks)
  let id = 0
  /** @param {{ route?: string, method?: string, status?: number, startMs?: number, durationMs?: number }} request */
  const push = ({ route = '/a', method = 'GET', status = 200, startMs = 0, durationMs = 500 }) => {
    bridge.requests.push(pack(numbers.numberOf(route, false, status), method, status), startMs, durationMs, ++id)
    return id
  }
  return { stats, blocks, push, told }
}

test('a finished request is counted by method, route and class of its status', () => {
  const { stats, push, told } = makeStats()
  push({ status: 201, method: 'POST', route: '/orders/:id' })
  push({ status: 0 })
  push({ status: 503, method: 'BREW', durationMs: 250 })
  stats.drain(1000)
  assert.deepEqual(told.filter(([kind]) => kind === 'duration'), [
    ['duration', 'POST', '/orders/:id', '2xx', 0.5],
    ['duration', 'GET', '/a', 'aborted', 0.5],
    ['duration', '(other)', '/a', '5xx', 0.25]
  ])
})

test('a request that ended after the last beat waits until blocks up to its end are known', () => {
  const { stats, blocks, push, told } = makeStats()
  push({ startMs: 0, durationMs: 90 })
  push({ startMs: 0, durationMs: 120 })
  stats.drain(100)
  assert.equal(told.filter(([kind]) => kind === 'duration').length, 1)
  blocks.add({ startMs: 95, endMs: 115, workIds: [] })
  stats.drain(130)
  assert.deepEqual(told.filter(([kind]) => kind === 'blocked'), [['blocked', '/a', 0], ['blocked', '/a', 0.02]])
})

test('a request is not a victim of the block it made itself', () => {
  const { stats, blocks, push, told } = makeStats()
  const culprit = push({ route: '/report', startMs: 0, durationMs: 400 })
  push({ route: '/ping', startMs: 200, durationMs: 300 })
  blocks.add({ startMs: 100, endMs: 400, workIds: [culprit] })
  stats.drain(1000)
  assert.deepEqual(told.filter(([kind]) => kind === 'blocked'), [['blocked', '/report', 0], ['blocked', '/ping', 0.3]])
})

test('a request that waited to be read is a victim of what it waited behind', () => {
  const { stats, blocks, push, told } = makeStats()
  blocks.add({ startMs: 100, endMs: 500, workIds: [99] })
  push({ route: '/after', startMs: -501, durationMs: 1 })
  push({ route: '/fresh', startMs: 501, durationMs: 1 })
  push({ route: '/much-later', startMs: -650, durationMs: 1 })
  push({ route: '/at-once', startMs: 450, durationMs: 10 })
  push({ route: '/before', startMs: 90, durationMs: 5 })
  stats.drain(1000)
  assert.deepEqual(told.filter(([kind]) => kind === 'blocked').map(([, route, seconds]) => [route, seconds]),
    [['/after', 0.2], ['/fresh', 0], ['/much-later', 0], ['/at-once', 0.36], ['/before', 0]])
})

test('each request beyond the bound of routes counts as an overflow', () => {
  const { stats, push, told } = makeStats({ routes: 2 })
  for (const route of ['/a', '/b', '/c', '/d', '/c', '/a']) push({ route })
  stats.drain(1000)
  assert.deepEqual(told.filter(([kind]) => kind === 'duration').map(([,, route]) => route), ['/a', '/b', '(other)', '(other)', '(other)', '/a'])
  assert.equal(told.filter(([kind]) => kind === 'overflow').length, 3)
})
