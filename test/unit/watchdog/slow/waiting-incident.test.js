'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { UsualDurations } = require('../../../../lib/watchdog/requests/usual-durations')
const { WaitingIncident, waitingText } = require('../../../../lib/watchdog/slow/waiting-incident')

/** @param {Partial<import('../../../../lib/bridge/messages').SlowWork>} [differences] @param {number[]} [agesMs] */
const groupOf = (differences = {}, agesMs = [3000, 2000]) => agesMs.map((ageMs) => ({
  name: 'GET /orders', isRequest: true, peer: 'GET api:443', isPool: false, isSure: true, isUnsent: false, ageMs, waitMs: ageMs, ...differences
}))

/** An incident for routes that usually take 20 ms. @param {Record<string, number>} [longestMs] by name */
function make (longestMs = { 'GET /orders': 20, 'GET /other': 20 }) {
  const usual = new UsualDurations()
  usual.poll(0, false)
  for (const [name, ms] of Object.entries(longestMs)) usual.add(name).latestMs = ms
  usual.poll(10_000, false)
  const incident = new WaitingIncident(usual)
  let now = 10_000
  /** Looks once a second. @param {any[][]} looks @param {boolean} [mayOpen] */
  const see = (looks, mayOpen = true) => looks.map((groups) => {
    now += 1000
    return incident.see(now, groups.flat(), mayOpen)?.type ?? null
  })
  return { incident, see, usual }
}

test('slow requests that wait for one peer in two looks are an incident, which ends when two looks show none', () => {
  const { see } = make()
  const slow = [groupOf()]
  assert.deepEqual(see([slow, slow, slow, [], slow, [], []]), [null, 'opened', null, null, null, null, 'ended'])
})

test('there is none while something else explains that requests are slow', () => {
  assert.deepEqual(make().see([[groupOf()], [groupOf()], [groupOf()]], false), [null, null, null])
})

test('a route that usually takes as long is not slow', () => {
  const slow = [groupOf({}, [5000, 4000])]
  assert.deepEqual(make({ 'GET /orders': 3000 }).see([slow, slow]), [null, null])
  assert.deepEqual(make({ 'GET /orders': 2000 }).see([slow, slow]), [null, 'opened'])
})

test('a route without an earlier answer is slow after ten seconds, or after a minute if nothing shows what it waits for', () => {
  for (const [peer, ageMs, type] of /** @type {[string | null, number, string | null][]} */ ([
    ['GET api:443', 9000, null], ['GET api:443', 11_000, 'opened'], [null, 50_000, null], [null, 61_000, 'opened']
  ])) {
    const slow = [groupOf({ peer }, [ageMs])]
    assert.deepEqual(make({}).see([slow, slow]), [null, type], `${peer} ${ageMs}`)
  }
})

test('a request waits for a connection of a pool for a second at most, whatever is usual', () => {
  const slow = [groupOf({ peer: 'mysql2 pool to db:3306', isPool: true }, [1500])]
  assert.deepEqual(make({ 'GET /orders': 60_000 }).see([slow, slow]), [null, 'opened'])
})

test('there is none if slow requests wait for different peers', () => {
  const slow = ['a', 'b', 'c'].map((peer) => groupOf({ peer }))
  assert.deepEqual(make().see([slow, slow, slow]), [null, null, null])
})

test('what is usual does not change while an incident is open, and a minute without requests changes nothing', () => {
  const { usual } = make()
  usual.add('GET /orders').latestMs = 9000
  usual.poll(80_000, true)
  assert.equal(usual.of('GET /orders').beforeMs, 20)
  usual.poll(90_000, false)
  assert.equal(usual.of('GET /orders').beforeMs, 9000)
  usual.poll(200_000, false)
  assert.equal(usual.of('GET /orders').beforeMs, 9000)
  assert.equal(usual.of('GET /orders').latestMs, 0)
})

test('the sentence names peer, pool, routes, place, and what is open if it has no peer', () => {
  /** @param {any[]} groups @param {any} details */
  const say = (groups, details = {}) => {
    const { incident, see } = make()
    see([groups, groups])
    return waitingText(/** @type {any} */ (incident.current), true, { usage: null, frame: null, open: [], ...details })
  }
  const pool = groupOf({ peer: 'mysql2 pool to db:3306', isPool: true }, Array(18).fill(2100))
  assert.equal(say([pool], { usage: { inUse: 10, limit: 10 }, frame: { function: 'loadOrder', file: 'orders.js', line: 31, column: 3 } }),
    '18 requests are waiting for a connection of the mysql2 pool to db:3306 (10 of 10 in use, longest 2.1 s), GET /orders, from loadOrder (orders.js:31)')
  assert.equal(say([groupOf({ isSure: false }, [2000]), groupOf({ name: 'GET /other', isSure: false }, [1500])]),
    '2 requests are waiting, probably for GET api:443 (longest 2.0 s), GET /orders and 1 more')
  assert.equal(say([groupOf({ isUnsent: true })], { open: [['DNS lookups', 2]] }),
    '2 requests are waiting for a connection for GET api:443 (longest 3.0 s), GET /orders; open: DNS lookups: 2')
  assert.equal(say([groupOf({ peer: null, isSure: false }, [3000])], { open: [['sockets to 10.0.0.5:5432', 12], ['timers', 1]] }),
    '1 request is waiting for something that publishes nothing (longest 3.0 s), GET /orders; open: sockets to 10.0.0.5:5432: 12, timers: 1')
  assert.equal(say([groupOf({ name: 'job mail', isRequest: false }, [61_000])]), '1 piece of work is waiting for GET api:443 (longest 61.0 s), job mail')
})
