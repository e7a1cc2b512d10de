'use strict'

// runtime: node:http and its diagnostics channels
const test = require('node:test')
const assert = require('node:assert/strict')
const { EventEmitter, once } = require('node:events')
const http = require('node:http')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { Connections } = require('../../../../../lib/host/work/http/connections')
const { Contexts } = require('../../../../../lib/host/work/contexts')
const { Requests } = require('../../../../../lib/host/work/http/requests')
const { eventually } = require('../../../../support/app')
const { withRequests } = require('../../../../support/requests')

test('an agent that is started anew counts what it sees begin and nothing of the one before', async (t) => {
  const [first, second] = [0, 1].map(() => openBridge(createMemory()))
  /** @type {import('node:http').ServerResponse[]} */
  const open = []
  const server = http.createServer((request, response) => open.push(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const ask = () => new Promise((resolve) => http.get({ port, agent }, (response) => response.resume().on('end', resolve)).on('error', resolve))
  const before = new Requests(first, {})
  const asked = ask()
  await eventually(() => open.length === 1, 'the request')
  before.stop()
  const after = new Requests(second, {})
  t.after(() => after.stop())
  open[0].end()
  await asked
  assert.equal(second.counters.get('inFlight'), 0)
  const aborted = ask()
  await eventually(() => open.length === 2, 'the next request')
  assert.equal(second.counters.get('inFlight'), 1)
  agent.destroy()
  await aborted
  await eventually(() => second.counters.get('inFlight') === 0, 'its end')
  assert.equal(second.requests.drain().length, 1)
  assert.equal(first.requests.drain().length, 0)
})

/**
 * A server in this process that is asked over one connection, whose port at the client's end each answer tells.
 * @param {import('node:test').TestContext} t
 * @param {(response: import('node:http').ServerResponse) => unknown} [answer]
 */
async function startKeptAlive (t, answer = (response) => response.end('ok')) {
  /** @type {Set<import('node:net').Socket>} of the server */
  const sockets = new Set()
  const server = http.createServer((request, response) => { answer(response) }).listen(0, '127.0.0.1')
  server.on('connection', (socket) => sockets.add(socket))
  await once(server, 'listening')
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => {
    agent.destroy()
    server.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const ask = () => new Promise((resolve) => http.get({ port, agent }, (response) => {
    const { localPort } = response.socket
    response.resume().on('end', () => resolve(localPort))
  }))
  return { sockets, ask }
}

test('an agent that is started anew counts on connections that were kept alive meanwhile', async (t) => {
  const { ask } = await startKeptAlive(t)
  const first = await withRequests(ask)
  const second = await withRequests(async () => [await ask(), await ask()])
  assert.deepEqual(second.value, [first.value, first.value], 'one connection')
  assert.deepEqual([first.statuses, second.statuses, second.inFlight], [[200], [200, 200], 0])
})

test('agents that come and go leave a connection that stays without a listener of theirs', async (t) => {
  const { sockets, ask } = await startKeptAlive(t)
  const count = () => [...sockets].map((socket) => [socket.listenerCount('close'), Object.getOwnPropertySymbols(socket).length])
  await ask()
  const [[listeners, symbols]] = count()
  for (let i = 0; i < 5; i++) assert.deepEqual((await withRequests(ask)).statuses, [200])
  assert.deepEqual(count(), [[listeners, symbols + 1]])
})

test('a request that was open when its agent stopped leaves its connection one listener at most, and none to the next agent', async (t) => {
  /** @type {import('node:http').ServerResponse[]} */
  const open = []
  const { sockets, ask } = await startKeptAlive(t, (response) => open.push(response))
  const count = () => [...sockets].map((socket) => socket.listenerCount('close'))
  const listeners = await (async () => {
    const asked = ask()
    await eventually(() => open.length === 1, 'the request without an agent')
    const during = count()[0]
    open[0].end('ok')
    await asked
    return { during, after: count()[0] }
  })()
  const before = new Requests(openBridge(createMemory()), {})
  t.after(() => before.stop())
  const asked = ask()
  await eventually(() => open.length === 2, 'the request')
  assert.deepEqual(count(), [listeners.during + 1])
  before.stop()
  open[1].end('ok')
  await asked
  assert.deepEqual(count(), [listeners.after + 1])
  await withRequests(async () => {
    const next = ask()
    await eventually(() => open.length === 3, 'the next request')
    assert.deepEqual(count(), [listeners.during + 1])
    open[2].end('ok')
    await next
  })
  assert.deepEqual(count(), [listeners.after])
})

test('requests are not followed on behalf of an agent that has been stopped', () => {
  const contexts = new Contexts()
  const requests = new Requests(openBridge(createMemory()), {}, contexts)
  requests.stop()
  // The watchdog may say so while it ends.
  contexts.follow(true)
  assert.equal(requests.current().isCertain, false)
})

test('of thousands of requests on one connection the one that is answered is found at once', () => {
  const connections = new Connections(() => {})
  const socket = /** @type {any} */ (new EventEmitter())
  const connection = connections.open(socket)
  let looks = 0
  const requests = Array.from({ length: 1000 }, () => /** @type {any} */ ({}))
  for (const request of requests) {
    /** @type {any} */
    const context = { next: null, get request () { looks++; return request } }
    connections.add(socket, connection, context)
  }
  const take = (/** @type {any} */ request) => connections.take(socket, connection, request)?.request
  for (const request of requests.slice(0, 997)) assert.equal(take(request), request)
  assert.ok(looks <= 2 * 997, `${looks} looks`)
  // HTTP/1 answers in order; whoever does not is found all the same.
  for (const at of [998, 997, 999]) assert.equal(take(requests[at]), requests[at])
  assert.deepEqual([connection.oldest, connection.latest, socket.listenerCount('close')], [null, null, 0])
  assert.equal(take(requests[0]), undefined)
})
