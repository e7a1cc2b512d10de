'use strict'

// runtime: node:http and its diagnostics channels
const { after, test } = require('node:test')
const assert = require('node:assert/strict')
const https = require('node:https')
const net = require('node:net')
const { cert } = require('../support/certificate')
const { eventually } = require('../support/app')
const { SPIN_MS, startServer } = require('../support/requests')
const { ownCauseOf } = require('../../lib/tables/causes')

/** AsyncLocalStorage comes at no cost from here on, so requests are followed from the start. */
const isFree = Number(process.versions.node.split('.')[0]) >= 24

/**
 * Sends raw text and gives what comes back until the server closes.
 * @param {number} port
 * @param {string} text
 * @param {string} [after] sent once something has come back
 * @returns {Promise<string>}
 */
function raw (port, text, after) {
  return new Promise((resolve) => {
    let received = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text))
    if (after !== undefined) socket.once('data', () => socket.write(after))
    socket.on('data', (data) => { received += data })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

/** What ends with the file. @type {(() => unknown)[]} */
const ends = []
after(() => ends.forEach((end) => end()))

/** @type {Map<string, ReturnType<typeof startServer>>} */
const shared = new Map()

/**
 * A server that several tests ask one after the other: what it says of blocks and counts is of the time from now on.
 * @param {object} [options]
 */
async function sharedServer (options = {}) {
  const key = JSON.stringify(options)
  const started = shared.get(key) ?? startServer({ after: (end) => ends.push(end) }, { options })
  shared.set(key, started)
  const server = await started
  const counted = await server.counts()
  const known = new Set((await server.blocks()).map(({ id }) => id))
  return {
    ...server,
    blocks: async () => (await server.blocks()).filter(({ id }) => !known.has(id)),
    /** @param {Record<string, number>} expected */
    settles: (expected) => server.settles(expected, counted)
  }
}

test('requests are counted by method, route and class of status, whatever the connection does', async () => {
  const { port, ask, settles } = await sharedServer()
  await ask('/a?secret=1')
  await ask('/a', { method: 'POST', body: 'x' })
  await ask('/a', { method: 'HEAD' })
  for (const status of [201, 304, 400, 500]) await ask(`/status/${status}`)
  await ask('/status/404')
  // Kept alive, three in one packet, and a connection closed by the client after the answer.
  await raw(port, 'GET /kept/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /kept/2 HTTP/1.1\r\nHost: a\r\n\r\nGET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await raw(port, 'GET /old HTTP/1.0\r\n\r\n')
  await settles({ 'GET /a 2xx': 1, 'POST /a 2xx': 1, 'HEAD /a 2xx': 1, 'GET /status/:id 2xx': 1, 'GET /status/:id 3xx': 1, 'GET /status/:id 4xx': 1, 'GET /status/:id 5xx': 1, 'GET (unmatched) 4xx': 1, 'GET /kept/:id 2xx': 2, 'GET /slow 2xx': 1, 'GET /old 2xx': 1 })
})

test('a connection that is closed before its answers counts each of its requests as aborted, and nothing stays in flight', async () => {
  const { port, settles, inFlight } = await sharedServer()
  const sockets = [1, 2, 3].map(() => net.connect(port, '127.0.0.1'))
  for (const socket of sockets) {
    socket.on('error', () => {})
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n')
  }
  await eventually(async () => await inFlight() === 6, 'six in flight')
  sockets[0].destroy()
  sockets[1].resetAndDestroy()
  sockets[2].end()
  await eventually(async () => Number(await inFlight()) <= 2, 'four to be gone')
  sockets[2].destroy()
  await settles({ 'GET /never aborted': 6 })
})

test('a socket that upgrade or connect hands over has the listeners it has without the agent, and counts stay right', async () => {
  const { port, settles, inFlight } = await sharedServer()
  const ways = [
    'GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'
  ]
  for (const way of ways) {
    assert.match(await raw(port, way), /^HTTP\/1\.1 101 .*\r\nListeners: end\r\n\r\n$/s, `first: ${way}`)
    // A connection that was kept alive: the way out begins with its first answer.
    const both = await raw(port, 'GET /kept HTTP/1.1\r\nHost: a\r\n\r\n', way)
    assert.match(both, /ok.*\r\nListeners: end\r\n\r\n$/s, `second: ${way}`)
  }
  await settles({ 'GET /kept 2xx': 2 })
  // An earlier request of the same connection is still open: its end is heard of all the same.
  for (const way of ways) {
    const staying = way.replace('/socket', '/stays').replace('a:1', 'stays:1')
    const left = raw(port, `GET /never HTTP/1.1\r\nHost: a\r\n\r\n${staying}`)
    await eventually(async () => await inFlight() === 1, 'it to be in flight')
    await fetch(`http://127.0.0.1:${port}/close-handed-over`)
    await left
    await eventually(async () => await inFlight() === 0, 'it to be gone')
  }
  await settles({ 'GET /kept 2xx': 2, 'GET /never aborted': 2, 'GET /close-handed-over 2xx': 2 })
})

test('upgrades and malformed requests are not counted as requests', async () => {
  const { port, settles } = await sharedServer()
  const upgraded = await raw(port, 'GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  assert.match(upgraded, /^HTTP\/1\.1 101/)
  await raw(port, 'NONSENSE\r\n\r\n')
  await raw(port, 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await settles({ 'GET /a 2xx': 1 })
})

test('a request that the application has made something else of costs nothing', async () => {
  const { ask, settles, blocks } = await sharedServer({ requests: 'on' })
  assert.equal(await ask('/odd'), 'ok')
  await settles({ 'GET /odd 2xx': 1 })
  await eventually(async () => {
    if ((await blocks()).some(({ frame }) => frame?.function === 'spin')) return true
    // On a busy machine no code may be to blame.
    await ask('/odd')
    return false
  }, 'the block')
})

test('the host of an absolute URL is not part of a route', async () => {
  const { port, settles } = await sharedServer()
  await raw(port, 'GET http://evil.example/orders/17?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await raw(port, 'GET http://evil.example HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await settles({ 'GET /orders/:id 2xx': 1, 'GET / 2xx': 1 })
})

test('a block by work left over from an ended request is marked as such, and not charged to its route', async () => {
  const { ask, blocks, samples } = await sharedServer({ requests: 'on' })
  const ofNobody = async () => (await samples()).filter(({ name, labels }) => name === 'loopwatch_blocked_seconds_total' && labels.route === '(none)').reduce((sum, { value }) => sum + value, 0)
  const before = await ofNobody()
  await ask('/leave')
  const { request } = await eventually(async () =>
    (await blocks()).find((block) => block.request?.route === '/leave'), 'the block')
  assert.equal(request.ended, true)
  await eventually(async () => await ofNobody() > before, 'it to be counted')
})

test('HTTPS is counted like HTTP', async (t) => {
  const { port, settles } = await startServer(t, { kind: 'https' })
  await new Promise((resolve) => https.get({ port, host: 'localhost', path: '/a', ca: cert, agent: false }, (response) => response.resume().on('end', resolve)))
  await settles({ 'GET /a 2xx': 1 })
})

test('a block knows its request wherever the request has led to', async () => {
  const { ask, blocks } = await sharedServer({ requests: 'on' })
  for (const way of ['here', 'awaits', 'timer', 'stream', 'listener', 'body']) {
    const traceId = 'c0ffee'.padEnd(32, '0')
    await ask(`/block/${way}?secret=1`, { method: 'POST', body: 'x'.repeat(100000), headers: { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` } })
    /** @type {any[]} */
    let seen = []
    const { request } = await eventually(async () => {
      seen = await blocks()
      // Settled: the next request might still come in the same turn, and be part of it.
      return seen.find((block) => block.request?.route === `/block/${way}` && !block.ongoing)
    }, () => `a block of ${way} in ${JSON.stringify(seen)}`)
    assert.deepEqual({ method: request.method, traceId: request.traceId }, { method: 'POST', traceId }, way)
    assert.ok(Math.abs(Date.now() - Date.parse(request.startedAt)) < 20000)
  }
})

test('two requests that block one after the other in one turn are culprits, not too much load', async () => {
  const { ask, blocks } = await sharedServer({ requests: 'on' })
  const block = await eventually(async () => {
    await Promise.all([ask('/block/timer'), ask('/block/timer')])
    return (await blocks()).find((each) =>
      each.durationMs > 1.8 * SPIN_MS && each.evidence.requests === 2 && ownCauseOf(each) !== 'starved')
  }, 'both in one turn')
  assert.deepEqual({ cause: ownCauseOf(block), route: block.request.route, line: block.frame.function }, { cause: 'js', route: '/block/timer', line: 'spin' })
})

test("with 'auto' requests are followed at once where it is free, elsewhere from the first block on", async (t) => {
  const { ask, blocks } = await startServer(t)
  const isExact = async (/** @type {string} */ way) => {
    // On a busy machine a block may have passed without an answer of its request.
    const { request: { exact = true } } = await eventually(async () => {
      await ask(`/block/${way}`)
      const block = async () =>
        (await blocks()).find(({ ongoing, request }) => !ongoing && request?.route === `/block/${way}`)
      return eventually(block, 'it', 3000).catch(() => null)
    }, `the block of ${way}`)
    return exact
  }
  const isFollowed = await isExact('awaits')
  // A busy machine may make the first block itself, or part of it.
  const made = (await blocks()).filter(({ startup }) => !startup)
  const isOfMachine = made.length > 1 || made.some(({ cause }) => cause === 'starved')
  assert.ok(isFollowed === isFree || isOfMachine, JSON.stringify([isFollowed, made]))
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(await isExact('timer'), true)
})

test('the first block among several untracked requests names the oldest, says how many were open, and counts as their wait', { skip: isFree && 'all are followed' }, async (t) => {
  const firstBlock = async () => {
    const { ask, blocks, samples } = await startServer(t)
    const [oldest, culprit] = [ask('/slow'), ask('/block/timer')]
    await Promise.all([oldest, culprit])
    const block = await eventually(async () =>
      (await blocks()).find(({ ongoing, startup, request }) => !ongoing && !startup && request !== null), 'the block')
    return { block, samples }
  }
  // A busy machine may keep the start, or the first turn, waiting.
  const { block, samples } = await eventually(async () => {
    const first = await firstBlock()
    return first.block.request.among === 2 && first
  }, 'a first block among two requests')
  assert.deepEqual([block.request.route, block.request.exact, block.startup], ['/slow', false, false])
  await eventually(async () => (await samples()).some(({ name, labels }) => name === 'loopwatch_blocked_seconds_total' && labels.route === '≈ /slow'), 'the block to be counted')
})

test('a block in the very arrival of a request knows it before requests are followed', async (t) => {
  const { ask, blocks } = await startServer(t)
  await ask('/block/here')
  await eventually(async () => (await blocks()).some(({ request }) => request?.route === '/block/here'), 'the block')
})

test('with requests off nothing is counted and no block has a request', async (t) => {
  const { ask, samples, blocks } = await startServer(t, { options: { requests: 'off' } })
  await ask('/block/here')
  await eventually(async () => (await blocks()).length > 0, 'the block')
  for (const { request } of await blocks()) assert.equal(request, null)
  assert.ok(!(await samples()).some(({ name }) => name === 'loopwatch_http_request_duration_seconds_count'))
})

test('others that wait while one request blocks are its victims, it is not its own', async (t) => {
  const { ask, samples } = await startServer(t, { options: { requests: 'on' } })
  const victim = ask('/slow')
  await new Promise((resolve) => setTimeout(resolve, 20))
  await Promise.all([ask('/block/here'), victim])
  /** @param {string} route */
  const blockedS = async (route) => (await samples()).find(({ name, labels }) => name === 'loopwatch_http_request_blocked_seconds_sum' && labels.route === route)?.value
  const lost = /** @type {number} */ (await eventually(async () => await blockedS('/slow'), 'the victim to be counted'))
  assert.ok(lost > 0.15, `${lost} s`)
  // The machine may keep it waiting for a moment.
  assert.ok(Number(await blockedS('/block/here')) < 0.5 * SPIN_MS / 1000, `${await blockedS('/block/here')} s`)
})

test('requests that come while the loop is blocked are its victims, though Node.js reads them only afterwards', async (t) => {
  const { ask, samples } = await startServer(t, { options: { requests: 'on' } })
  const blocking = ask('/block/here')
  await new Promise((resolve) => setTimeout(resolve, 30))
  await Promise.all([blocking, ...Array.from({ length: 5 }, () => ask('/waiting'))])
  /** @param {string} route @param {string} part */
  const blocked = async (route, part) => (await samples()).find(({ name, labels }) => name === `loopwatch_http_request_blocked_seconds_${part}` && labels.route === route)?.value
  await eventually(async () => await blocked('/waiting', 'count') === 5, 'the victims to be counted')
  const lost = /** @type {number} */ (await blocked('/waiting', 'sum'))
  // Half of the block each. If the kernel takes the CPU away between two of them, the others count as later ones.
  assert.ok(lost > 0.4 * SPIN_MS / 1000, `${lost} s`)
  assert.ok(Number(await blocked('/block/here', 'sum')) < 0.5 * SPIN_MS / 1000, `${await blocked('/block/here', 'sum')} s`)
})

test('the option route names requests; what it says is taken as it is, within bounds', async (t) => {
  const { ask, settles } = await startServer(t, { route: 'header', options: { routes: 3 } })
  const names = ['plain', 'with "quotes" and \\', 'x'.repeat(10000)]
  for (const name of names) await ask('/a', { headers: { 'x-route': name } })
  await ask('/caf%C3%A9')
  await ask('/a', { headers: { 'x-route': 'beyond' } })
  await settles({ 'GET plain 2xx': 1, [`GET ${names[1]} 2xx`]: 1, [`GET ${'x'.repeat(200)} 2xx`]: 1, 'GET /:id 2xx': 1, 'GET (other) 2xx': 1 })
})

test('a function for routes that throws or returns an invalid value costs its names and nothing else', async (t) => {
  await Promise.all(['throwing', 'nonsense', 'rejecting'].map(async (route) => {
    const { ask, settles, samples } = await startServer(t, { route })
    assert.equal(await ask('/a'), 'ok')
    await settles({ 'GET /a 2xx': 1 })
    await eventually(async () => (await samples()).some(({ name, labels, value }) => name === 'loopwatch_degraded' && labels.reason === 'route' && value === 1), `${route}: degraded`)
  }))
})

test('the trace is that of the active span where OpenTelemetry is loaded', async (t) => {
  const { ask, blocks } = await startServer(t, { options: { requests: 'on' }, args: ['-r', require.resolve('../fixtures/opentelemetry.js')] })
  await ask('/block/here', { headers: { traceparent: `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01` } })
  const { request, work } = await eventually(async () => (await blocks()).find((block) => block.request), 'the block')
  assert.equal(request.traceId, 'b'.repeat(32))
  assert.equal(work.kind, 'request')
  assert.equal(work.name, `GET ${request.route}`)
  assert.deepEqual([work.traceId, work.spanId, work.sampled], ['b'.repeat(32), '2'.repeat(16), true])
})

for (const framework of ['express', 'express-4', 'fastify', 'koa', 'hapi']) {
  test(`with ${framework} requests and blocks carry the router's own template`, async (t) => {
    const { ask, settles, blocks } = await startServer(t, { framework })
    const users = { express: '/users/:id', 'express-4': '/users/:id', fastify: '/api/v1/users/:id', koa: '/users/:id', hapi: '/users/{id}' }[framework] ?? ''
    const orders = { express: '/api/v1/orders/:order/items/:item', 'express-4': '/api/v1/orders/:order/items/:item', fastify: '/api/v1/orders/:order/items/:item', koa: '/api/:version/orders/:order/items/:item', hapi: '/api/{version}/items/{item?}' }[framework] ?? ''
    const concrete = (/** @type {string} */ template) => template.replace(/[:{]version}?/, 'v1').replace(/[:{]order/, 'a-b').replace(/[:{]item\??}?/, 'some-slug').replace(/[:{]id}?/, 'ann')
    await ask(concrete(users))
    await ask(`${concrete(users)}?block`)
    await ask(concrete(orders))
    await ask('/nothing/here')
    await settles({ [`GET ${users} 2xx`]: 2, [`GET ${orders} 2xx`]: 1, 'GET (unmatched) 4xx': 1 })
    // A busy machine may have added others, of any request or none.
    const blamed = await eventually(async () => {
      const own = (await blocks()).filter(({ frame }) => frame?.file.endsWith('framework.js'))
      const routes = own.flatMap(({ request }) => request?.route ?? [])
      if (routes.length > 0) return routes
      await ask(`${concrete(users)}?block`)
    }, 'the block of a request')
    assert.deepEqual([...new Set(blamed)], [users])
  })
}
