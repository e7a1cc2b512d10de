'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OTHER, replay } = require('../../../../lib/cli/diagnose/what-if/replay')
const { costsOf, transfer } = require('../../../../lib/cli/diagnose/what-if/costs')
const { lossOf, stateOf } = require('../../../../lib/cli/diagnose/what-if/free-of-state')
const { requestsOf } = require('../../../../lib/cli/diagnose/what-if/requests')
const { inWords, predict, unknown } = require('../../../../lib/cli/diagnose/what-if/verdict')

/** @typedef {import('../../../../lib/cli/diagnose/what-if/replay').Costs} Costs */

const FREE = { sendMs: 0, receiveMs: 0, heldMs: 0, workerMs: 0, roundTripMs: 0, workers: 1 }
/** @param {number} startMs @param {number} serviceMs @param {number} culpritMs */
const request = (startMs, serviceMs, culpritMs, route = 'GET /orders') => ({ startMs, route, serviceMs, culpritMs })
/** @param {ReturnType<typeof replay>} answered */
const latencies = (answered) => answered.map(({ route, latencyMs }) => `${route} ${latencyMs}`)

/** Numbers that look random and are the same in every run. @param {number} seed */
const random = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** A route that works 20 ms, and one that hardly does, at even rates. */
const mixed = (workMs = 20, count = 400) => Array.from({ length: count }, (_, i) =>
  i % 4 === 0 ? request(i * 10, workMs + 1, workMs) : request(i * 10, 0.2, 0, 'GET /health'))

test('a replay serves one request after the other, in the order of their arrival', () => {
  const requests = [request(0, 10, 9), request(2, 1, 0, 'GET /health'), request(30, 1, 0, 'GET /health')]
  assert.deepEqual(latencies(replay(requests, {})), ['GET /orders 10', 'GET /health 9', 'GET /health 1'])
  // The health check passes while the function runs elsewhere, after the half millisecond that comes before it.
  assert.deepEqual(latencies(replay(requests, { costs: FREE })), ['GET /health 1', 'GET /orders 10', 'GET /health 1'])
})

test('in the replay, cloning holds the loop, and the way there and back delays the answer alone', () => {
  const requests = [request(0, 10, 10), request(1, 1, 0, 'GET /health')]
  const cloned = replay(requests, { costs: { ...FREE, sendMs: 4, receiveMs: 3 } })
  assert.deepEqual(latencies(cloned), ['GET /health 4', 'GET /orders 17'])
  const far = replay(requests, { costs: { ...FREE, roundTripMs: 5, workerMs: 2 } })
  assert.deepEqual(latencies(far), ['GET /health 1', 'GET /orders 17'])
})

test('a pool has as many servers as workers', () => {
  const requests = [0, 1, 2].map((startMs) => request(startMs, 100, 100))
  const ends = (/** @type {number} */ workers) =>
    replay(requests, { costs: { ...FREE, workers } }).map(({ latencyMs }) => latencyMs)
  assert.deepEqual(ends(1), [100, 199, 298])
  assert.deepEqual(ends(2), [100, 100, 198])
  assert.deepEqual(ends(3), [100, 100, 100])
})

test('users who wait for their answers never pile up more than they are', () => {
  const requests = Array.from({ length: 100 }, () => request(0, 10, 10))
  const answered = replay(requests, { users: 5 })
  assert.equal(answered.length, 100)
  assert.deepEqual([...new Set(answered.slice(5).map(({ latencyMs }) => latencyMs))], [50])
  assert.deepEqual(latencies(replay([{ ...request(0, 10, 0), waitMs: 7 }], { users: 5 })), ['GET /orders 17'])
})

test('work that nobody waits for holds the loop, and has no latency', () => {
  const job = { startMs: 0, route: null, serviceMs: 500, culpritMs: 500 }
  assert.deepEqual(latencies(replay([job, request(1, 1, 0)], {})), ['GET /orders 500'])
  assert.deepEqual(latencies(replay([job, request(1, 1, 0)], { costs: FREE })), ['GET /orders 1'])
  assert.deepEqual(latencies(replay([job, request(1, 1, 0), request(1, 1, 0)], { users: 1 })), ['GET /orders 501', 'GET /orders 1'])
})

test('a request that does nothing itself says what any other one waits', () => {
  const requests = Array.from({ length: 50 }, () => request(0, 10, 10))
  const waits = (/** @type {Costs | null} */ costs) => {
    const answered = replay(requests, { users: 4, probeMs: 5, costs }).filter(({ route }) => route === OTHER)
    assert.ok(answered.length > 90, `${answered.length}`)
    return Math.max(...answered.map(({ latencyMs }) => latencyMs))
  }
  assert.equal(waits(null), 40)
  assert.equal(waits({ ...FREE, sendMs: 1 }), 4, 'four who ask at once')
  const prediction = predict({ requests, users: 4, probeMs: 5, costs: { ...FREE, sendMs: 1 } })
  assert.equal(prediction.verdict, 'pays')
  assert.match(inWords('total', prediction), /GET \/orders 40 → 4\d ms, of any other request 40 → /)
})

test('whatever comes, each request is answered once and never sooner than its work takes', () => {
  const next = random(1)
  for (let round = 0; round < 50; round++) {
    let atMs = 0
    const requests = Array.from({ length: 200 }, (_, i) => {
      const serviceMs = 0.1 + next() * 20
      atMs += next() * 20
      const culpritMs = next() < 0.5 ? 0 : serviceMs * next()
      return { startMs: atMs, route: `${i}`, serviceMs, culpritMs, leadMs: next() * 30 }
    })
    for (const users of [null, 1, 7]) {
      const some = { sendMs: next(), receiveMs: next(), heldMs: next(), workers: 1 + Math.floor(next() * 3) }
      for (const costs of [null, { ...FREE, ...some }]) {
        const answered = replay(requests, { users, costs })
        assert.deepEqual(answered.map(({ route }) => Number(route)).sort((a, b) => a - b), requests.map((_, i) => i))
        for (const { route, latencyMs } of answered) assert.ok(latencyMs >= requests[Number(route)].serviceMs - 1e-6)
      }
    }
  }
})

test('small arguments and long work: it pays, for the others as well, and the sentence says how', () => {
  const costs = { ...FREE, sendMs: 0.1, receiveMs: 0.1, heldMs: 0.2, roundTripMs: 0.3 }
  const prediction = predict({ requests: mixed(), costs, measuredP50Ms: 1.5 })
  assert.equal(prediction.verdict, 'pays')
  const health = prediction.routes.find(({ route }) => route === 'GET /health')
  assert.ok(health !== undefined && health.before.p99Ms > 10 && health.after.p99Ms < 2, JSON.stringify(health))
  assert.match(inWords('total', prediction, costs), /^total in a worker thread, predicted: p99 of GET \/orders 21 → 2\d ms, of GET \/health 11 → .* ms; 0\.40 ms of cloning and messages for 20 ms of work: pays\. With piscina/)
})

test('cloning that costs more than the work does not pay, and the sentence says which side costs', () => {
  const costs = { ...FREE, sendMs: 26, receiveMs: 0.5, heldMs: 0.5 }
  const prediction = predict({ requests: mixed(22), costs })
  assert.equal(prediction.verdict, 'does not pay')
  assert.match(inWords('total', prediction, costs), /27 ms of cloning and messages for 22 ms of work: does not pay\. What it is given costs most/)
  assert.match(inWords('total', prediction, { sendMs: 1, receiveMs: 26 }), /Its result costs most/)
})

test('a queue at the pool that is longer than the one at the loop does not pay either', () => {
  // Two workers' worth of work on one worker that is slow to get its arguments.
  const costs = { ...FREE, workerMs: 30 }
  assert.equal(predict({ requests: mixed(20), costs }).verdict, 'does not pay')
  assert.equal(predict({ requests: mixed(20), costs: { ...costs, workers: 2 } }).verdict, 'does not pay')
  assert.equal(predict({ requests: mixed(20), costs: { ...costs, workerMs: 5 } }).verdict, 'pays', '5 ms later, and nobody else waits')
})

test('where nothing waits, moving makes no difference', () => {
  const requests = Array.from({ length: 100 }, (_, i) => request(i * 1000, 20, 20))
  assert.equal(predict({ requests, costs: { ...FREE, sendMs: 0.1 } }).verdict, 'makes no difference')
})

test('a replay that does not come near the run, or has nothing to move, is unknown and says why', () => {
  const far = predict({ requests: mixed(), costs: FREE, measuredP50Ms: 400 })
  assert.equal(far.verdict, 'unknown')
  assert.match(inWords('total', far), /total to a worker thread is unknown: the run's p50 was 400 ms and its replay's is 1\.4 ms/)
  assert.match(inWords('total', predict({ requests: [request(0, 1, 0)], costs: FREE })), /no request was seen to call it/)
  assert.match(inWords('total', unknown('it closes over `cache`')), /unknown: it closes over `cache`\./)
})

test('a value that would arrive as something else is found, however deep', () => {
  class Order { total () { return 1 } }
  for (const plain of [1, 'text', null, undefined, [1, { a: new Date(), b: new Map() }], Buffer.alloc(3), new Float64Array(2), Object.create(null)]) {
    assert.equal(lossOf([plain], 'what it is given'), null)
  }
  assert.match(`${lossOf([{ orders: [new Order()] }], 'what it is given')}`, /^what it is given has an instance of Order, which arrives without its methods$/)
})

test('a function that depends on more than its arguments is named, with what it depends on', () => {
  const module = (/** @type {string} */ name, className = 'Object', subtype = '') =>
    [{ type: 'closure', isModule: true, variables: [{ name, className, ...(subtype === '' ? {} : { subtype }) }] }]
  const closure = [{ type: 'closure', isModule: false, variables: [{ name: 'cache' }] }]
  assert.equal(stateOf('(a) { return a + cache[a] }', closure), 'it closes over `cache`')
  assert.equal(stateOf('(a) { return a }', closure), null)
  assert.equal(stateOf('(a) { return this.rate * a }', []), 'it uses `this`')
  assert.equal(stateOf('(a) { return rates[a] + RATES }', module('rates')), null, 'a table that is only read')
  assert.equal(stateOf('(a) { return total(a) }', module('total', 'Function')), null)
  assert.equal(stateOf('(a) { return seen.get(a) }', module('seen', 'Map', 'map')), 'it uses `seen` of its module, a map')
  assert.equal(stateOf('(a) { return db.query(a) }', module('db', 'Client')), 'it uses `db` of its module, a Client')
  for (const change of ['hits++', '--hits', 'hits += 1', 'hits = a', 'hits.last = a', 'hits[a] = 1', 'hits.list.push(a)', 'Object.assign(hits, a)']) {
    assert.equal(stateOf(`(a) { ${change} }`, module('hits')), 'it changes `hits` of its module', change)
  }
  for (const reading of ['hits === a', 'hits <= a', 'const f = () => hits', 'a.hits = 1', 'x = hits.map((y) => y)']) {
    assert.equal(stateOf(`(a) { ${reading} }`, module('hits')), null, reading)
  }
})

test('the costs are those of a request: as many calls as it makes, unless they are many', () => {
  const capture = { sendMs: 2, readMs: 3, cloneMs: 1, receiveMs: 4, request: 1 }
  const pool = { roundTripMs: 0.5, heldMs: 0.1, workers: 3 }
  const once = costsOf([capture, { ...capture, request: 2 }], pool)
  assert.deepEqual(once, { ...pool, sendMs: 2, receiveMs: 4, workerMs: 4 })
  assert.equal(costsOf([capture, capture], pool)?.sendMs, 4)
  assert.equal(costsOf([capture, capture, capture], pool), null)
})

test('what is sent is measured, and what cannot be sent is refused', () => {
  const { sendMs, receiveMs } = transfer(Array.from({ length: 20000 }, (_, i) => ({ i })))
  assert.ok(sendMs > transfer(1).sendMs && receiveMs > 0)
  assert.throws(() => transfer(() => {}), { name: 'DataCloneError' })
})

test('a request is what the loop worked for it, with the time of the function from the samples within', () => {
  const node = (/** @type {number} */ id, /** @type {number} */ lineNumber, /** @type {number[]} */ children = []) =>
    ({ id, children, callFrame: { functionName: 'f', scriptId: '7', url: 'file:///a.js', lineNumber, columnNumber: 4 } })
  const profile = {
    nodes: [node(1, 0, [2]), node(2, 9, [3]), node(3, 20)],
    startTime: 1000,
    endTime: 60000,
    samples: [1, 2, 3, 1, 1],
    timeDeltas: [0, 2000, 3000, 5000, 40000]
  }
  /** @type {[number, number, number][]} */
  const intervals = [[1000, 12000, 0], [12000, 13000, 1], [20000, 25000, -1], [30000, 30500, -1], [40000, 42000, 0]]
  const requests = requestsOf({ intervals, routes: ['GET /a', 'GET /b'], profile, location: { scriptId: '7', lineNumber: 9, columnNumber: 4 } })
  assert.deepEqual(requests, [
    // From 1 ms on; the function from 3 to 11 ms, its callee included. The loop was free in 21.5 ms of the rest.
    { startMs: 1, route: 'GET /a', serviceMs: 13, culpritMs: 8, leadMs: 2, waitMs: 21.5 },
    { startMs: 12, route: 'GET /b', serviceMs: 1, culpritMs: 0, waitMs: 0 },
    { startMs: 20, route: null, serviceMs: 5, culpritMs: 0, waitMs: 0 }
  ])
})
