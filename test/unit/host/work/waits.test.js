'use strict'

const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { channel } = require('node:diagnostics_channel')
const http = require('node:http')
const http2 = require('node:http2')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { WAITS } = require('../../../../lib/bridge/messages')
const { Waits } = require('../../../../lib/host/work/waits')
const { RequestContext } = require('../../../../lib/host/work/http/context')
const { waits: table } = require('../../../../lib/tables/waits')
const { nowMs } = require('../../../../lib/util/clock')

/** A request that began so long ago. @param {string} url @param {number} ageMs */
const requestOf = (url, ageMs = 0) =>
  new RequestContext(1, /** @type {any} */ ({ method: 'GET', url, headers: {}, rawHeaders: [], complete: true }), nowMs() - ageMs, false)

/** @param {import('node:test').TestContext} t @param {boolean} [hasAll] */
function start (t, hasAll = true) {
  const bridge = openBridge(createMemory())
  /** @type {any[]} */
  const posts = []
  /** @type {RequestContext[]} */
  const requests = []
  const contexts = {
    /** @type {any} */
    store: undefined,
    isFollowing: true,
    get oldestAtMs () { return requests[0]?.startedAtMs ?? Infinity },
    requestsBegunBy: (/** @type {number} */ untilMs) => requests.filter(({ startedAtMs }) => startedAtMs <= untilMs)
  }
  const waits = new Waits(bridge, contexts, (message) => posts.push(message), hasAll)
  t.after(() => waits.stop())
  const peers = () => bridge.waits.read(bridge.peers)
  const counts = () =>
    Object.fromEntries(peers().map(({ peer, open, count }) => [peer, [open, count]]))
  return { bridge, posts, requests, contexts, waits, peers, counts }
}

/** @param {string} name @param {object} context */
const publish = (name, context) => channel(name).publish(context)

/** @param {import('node:test').TestContext} t @param {http.RequestListener} answer */
async function serve (t, answer) {
  const server = http.createServer(answer).listen(0)
  t.after(() => { server.close(); server.closeAllConnections() })
  await new Promise((resolve) => server.once('listening', resolve))
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port
}

describe('peers', () => {
  test('a request of node:http waits for its method, host and port until the answer begins', async (t) => {
    const { counts } = start(t)
    /** @type {(value?: unknown) => void} */
    let answer = () => {}
    const port = await serve(t, (_, response) => { answer = () => response.end() })
    const request = http.get({ port, host: '127.0.0.1', path: '/secret?token=1' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual(counts(), { [`GET 127.0.0.1:${port}`]: [1, 0] })
    answer()
    await new Promise((resolve) => request.once('response', (response) => response.resume().once('end', resolve)))
    assert.deepEqual(counts(), { [`GET 127.0.0.1:${port}`]: [0, 1] })
  })

  test('fetch() waits in the same way, and no longer once it fails or is aborted', async (t) => {
    const { counts } = start(t)
    const port = await serve(t, (request, response) => { if (request.url === '/') response.end() })
    await (await fetch(`http://127.0.0.1:${port}/`)).text()
    assert.deepEqual(counts(), { [`GET 127.0.0.1:${port}`]: [0, 1] })
    const aborted = new AbortController()
    const never = fetch(`http://127.0.0.1:${port}/never`, { method: 'POST', signal: aborted.signal })
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual(counts()[`POST 127.0.0.1:${port}`], [1, 0])
    aborted.abort()
    await assert.rejects(never)
    assert.deepEqual(counts()[`POST 127.0.0.1:${port}`], [0, 1])
  })

  test('a request that is destroyed or refused no longer waits', async (t) => {
    const { peers } = start(t)
    const port = await serve(t, () => {})
    for (const [target, afterMs] of [[port, 50], [port, 0], [1, null]]) {
      const request = http.get({ port: target, host: '127.0.0.1' })
      const failed = new Promise((resolve) => request.once('error', resolve))
      if (afterMs === 0) request.destroy()
      else if (afterMs !== null) setTimeout(() => request.destroy(), afterMs)
      await failed
    }
    assert.deepEqual(peers().map(({ open }) => open), peers().map(() => 0))
  })

  test('a connection that is upgraded does not wait', async (t) => {
    const { counts } = start(t)
    const server = http.createServer().listen(0)
    t.after(() => { server.close(); server.closeAllConnections() })
    server.on('upgrade', (_, socket) => { socket.end('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n') })
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = /** @type {any} */ (server.address())
    const request = http.get({ port, headers: { connection: 'upgrade', upgrade: 'x' } })
    await new Promise((resolve) => request.once('upgrade', (_, socket) => { socket.destroy(); resolve(null) }))
    assert.deepEqual(counts(), {})
  })

  test('a stream of HTTP/2 waits for its method and authority', { skip: !table.some(({ begin }) => begin.startsWith('http2')) || Number.parseInt(process.versions.node, 10) < 22 }, async (t) => {
    const { counts } = start(t)
    const server = http2.createServer((_, response) => response.end('ok')).listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = /** @type {any} */ (server.address())
    const client = http2.connect(`http://127.0.0.1:${port}`)
    const stream = client.request({ ':path': '/secret' })
    assert.deepEqual(counts(), { [`GET 127.0.0.1:${port}`]: [1, 0] })
    await new Promise((resolve) => stream.resume().once('end', resolve))
    assert.deepEqual(counts(), { [`GET 127.0.0.1:${port}`]: [0, 1] })
    client.close()
    server.close()
  })

  test('libraries are named with their server, and never with a statement or a value', (t) => {
    const { counts, peers } = start(t)
    const db = { serverAddress: 'db', serverPort: 3306, query: 'SELECT secret', values: ['secret'], args: ['secret'], database: 'secret' }
    const messages = {
      'mysql2:query': db,
      'mysql2:pool:connect': db,
      'ioredis:command': { ...db, command: 'get', serverPort: 6379 },
      'node-redis:command': { ...db, command: 'GET', serverAddress: '/tmp/secret.sock', serverPort: undefined },
      'mssql:query': { query: 'SELECT secret', poolId: 1 },
      'mssql:pool:acquire': { poolId: 1 },
      'mongoose:query': { ...db, serverPort: 27017 }
    }
    for (const [name, message] of Object.entries(messages)) {
      const context = { ...message }
      publish(`tracing:${name}:start`, context)
      publish(`tracing:${name}:start`, { ...message })
      publish(`tracing:${name}:error`, context)
      publish(`tracing:${name}:asyncStart`, context)
    }
    assert.deepEqual(counts(), {
      'mysql2 db:3306': [1, 1],
      'mysql2 pool to db:3306': [1, 1],
      'redis db:6379': [1, 1],
      'redis (socket)': [1, 1],
      mssql: [1, 1],
      'mssql pool': [1, 1],
      'mongoose db:27017': [1, 1]
    })
    assert.doesNotMatch(JSON.stringify(peers()), /secret/)
  })

  test('a library that changes or slows down while anybody subscribes is left alone by default', (t) => {
    start(t, false)
    const isFollowed = () => ['ioredis:command', 'node-redis:command', 'mysql2:query', 'mysql2:execute', 'mysql2:pool:connect']
      .map((name) => channel(`tracing:${name}:start`).hasSubscribers)
    assert.deepEqual(isFollowed(), [false, false, false, false, true])
    start(t)
    assert.deepEqual(isFollowed(), [true, true, true, true, true])
  })

  test('a command that waits until there is something to do is not counted', (t) => {
    const { counts } = start(t)
    for (const command of ['bzpopmin', 'BLPOP', 'xreadgroup', 'subscribe']) publish('tracing:ioredis:command:start', { command, serverAddress: 'db', serverPort: 1 })
    assert.deepEqual(counts(), {})
  })

  test('fifty peers have names, and all others count together', (t) => {
    const { counts } = start(t)
    for (let port = 0; port < 60; port++) publish('tracing:mysql2:query:start', { serverAddress: 'db', serverPort: port })
    assert.equal(Object.keys(counts()).length, 51)
    assert.deepEqual(counts()['(other)'], [10, 0])
  })
})

test('100,000 calls that never end are counted, and take an object each only up to a bound', (t) => {
  const { counts } = start(t)
  const contexts = Array.from({ length: 100_000 }, () => ({ serverAddress: 'db', serverPort: 6379, command: 'get' }))
  for (const context of contexts) publish('tracing:ioredis:command:start', context)
  assert.deepEqual(counts(), { 'redis db:6379': [100_000, 0] })
  for (const context of contexts) publish('tracing:ioredis:command:asyncStart', context)
  assert.deepEqual(counts(), { 'redis db:6379': [0, 10_000] })
})

test('a message of another form throws nothing into the application', (t) => {
  const { counts } = start(t)
  for (const { begin, sent, ends } of table) {
    for (const name of [begin, sent ?? begin, ...ends]) {
      const messages = [undefined, null, 1, {}, { request: null }, { request: {}, stream: {} }]
      for (const message of messages) channel(name).publish(message)
    }
  }
  assert.ok(Object.keys(counts()).every((name) => /^[\w ]+$/.test(name)), JSON.stringify(counts()))
})

describe('slow requests', () => {
  const db = () => ({ serverAddress: 'db', serverPort: 3306 })

  test('a request is reported with what it waits for, once it is a second old', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    const begin = nowMs()
    for (const [url, ageMs] of /** @type {[string, number][]} */ ([['/orders', 3000], ['/orders', 2000], ['/fast', 0]])) {
      const request = contexts.store = requestOf(url, ageMs)
      requests.push(request)
      publish('tracing:mysql2:query:start', db())
    }
    waits.beat(begin)
    assert.equal(posts.length, 1)
    const [{ code, slow }] = posts
    assert.equal(code, WAITS)
    const [{ ageMs, waitMs, ...first }, second] = slow
    assert.deepEqual(first, { name: 'GET /orders', isRequest: true, peer: 'mysql2 db:3306', isPool: false, isSure: false, isUnsent: false })
    assert.deepEqual([slow.length, ...[ageMs, second.ageMs, waitMs].map((ms) => Math.round(ms / 100))], [2, 30, 20, 0])
  })

  test('nothing is reported while all requests are young, and the end is reported once', (t) => {
    const { posts, requests, waits } = start(t)
    waits.beat(nowMs())
    requests.push(requestOf('/slow', 2000))
    waits.beat(nowMs() + 1000)
    requests.pop()
    for (const ms of [2000, 3000, 4000]) waits.beat(nowMs() + ms)
    assert.deepEqual(posts.map(({ slow }) => slow.map((/** @type {any} */ { peer }) => peer)), [[null], []])
  })

  test('a request that waits for a pool waits for no other call', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    requests.push(contexts.store = requestOf('/', 2000))
    publish('tracing:mysql2:query:start', { ...db(), serverPort: 1 })
    publish('tracing:mysql2:pool:connect:start', db())
    waits.beat(nowMs())
    assert.deepEqual(posts[0].slow.map((/** @type {any} */ { peer, isPool }) => [peer, isPool]), [['mysql2 pool to db:3306', true]])
  })

  test('a peer is certain once requests have waited for its answers for most of their time', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    const call = (/** @type {string} */ host, /** @type {boolean} */ isAwaited) => {
      const request = contexts.store = requestOf('/')
      const context = { ...db(), serverAddress: host }
      publish('tracing:mysql2:query:start', context)
      if (!isAwaited) request.end(200)
      publish('tracing:mysql2:query:asyncStart', context)
      request.waitedFor?.explains(5, host === 'beside' ? 50 : 6)
    }
    for (let i = 0; i < 3; i++) for (const [host, isAwaited] of /** @type {[string, boolean][]} */ ([['db', true], ['beside', true], ['log', false]])) call(host, isAwaited)
    for (const serverAddress of ['db', 'beside', 'log', 'new']) {
      requests.push(contexts.store = requestOf('/', 2000))
      publish('tracing:mysql2:query:start', { ...db(), serverAddress })
    }
    waits.beat(nowMs())
    assert.deepEqual(posts[0].slow.map((/** @type {any} */ { peer, isSure }) => [peer, isSure]), [['mysql2 db:3306', true], ['mysql2 beside:3306', false], ['mysql2 log:3306', false], ['mysql2 new:3306', false]])
  })

  test('two calls at a time leave a doubt', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    for (let i = 0; i < 3; i++) {
      contexts.store = requestOf('/')
      const context = db()
      publish('tracing:mysql2:query:start', context)
      publish('tracing:mysql2:query:asyncStart', context)
    }
    requests.push(contexts.store = requestOf('/', 2000))
    publish('tracing:mysql2:query:start', db())
    publish('tracing:mysql2:query:start', { ...db(), serverPort: 1 })
    waits.beat(nowMs())
    assert.deepEqual(posts[0].slow.map((/** @type {any} */ { isSure }) => isSure), [false])
  })

  test('without following requests, the oldest call is named in doubt', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    contexts.isFollowing = false
    publish('tracing:mysql2:query:start', db())
    requests.push(requestOf('/', 2000))
    waits.beat(nowMs())
    assert.deepEqual(posts[0].slow.map((/** @type {any} */ { peer, isSure }) => [peer, isSure]), [['mysql2 db:3306', false]])
  })

  test('a stream that the application keeps open, and a body that the client still sends, do not wait', (t) => {
    const { posts, requests, waits } = start(t)
    const [streams, uploads] = [requestOf('/events', 5000), requestOf('/upload', 5000)]
    streams.response = /** @type {any} */ ({ headersSent: true })
    Object.assign(/** @type {any} */ (uploads.request), { complete: false })
    requests.push(streams, uploads)
    waits.beat(nowMs())
    assert.ok(posts.every(({ slow }) => slow.length === 0), JSON.stringify(posts))
  })

  test('stacks are taken while an incident with the peer is open, and at most ten per second', (t) => {
    const { posts, requests, contexts, waits } = start(t)
    function loadOrder () { publish('tracing:mysql2:query:start', db()) }
    requests.push(contexts.store = requestOf('/', 2000))
    loadOrder()
    waits.beat(nowMs())
    assert.equal(posts[0].frames ?? null, null)
    waits.watch({ peer: 'mysql2 db:3306', isOpen: true })
    assert.ok(Array.isArray(posts[1].open))
    loadOrder()
    waits.beat(nowMs() + 2000)
    assert.ok(posts[2].frames.some((/** @type {any} */ frame) => frame.function === 'loadOrder'), JSON.stringify(posts[2].frames))
    waits.watch({ peer: null, isOpen: false })
    loadOrder()
    waits.beat(nowMs() + 4000)
    assert.equal(posts[3].frames ?? null, null)
  })
})
