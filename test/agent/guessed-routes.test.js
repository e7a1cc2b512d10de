'use strict'

// Names that are made of paths, as no router has told any: what they say, and what they must not take.
const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const path = require('node:path')
const { once } = require('node:events')
const { createMemory, openBridge } = require('../../lib/bridge/memory')
const { Contexts } = require('../../lib/host/work/contexts')
const { Requests } = require('../../lib/host/work/http/requests')
const { RecentBlocks } = require('../../lib/watchdog/requests/recent-blocks')
const { RequestStats } = require('../../lib/watchdog/requests/stats')
const { eventually } = require('../support/app')
const { parseExposition } = require('../support/exposition')
const { makeMetrics } = require('../support/metrics')
const { listen } = require('../support/routes')

/**
 * Requests of this process, sensed and counted as an agent does.
 * @param {import('node:test').TestContext} t
 * @param {number} [routes]
 */
function watch (t, routes = 50) {
  const memory = createMemory()
  const contexts = new Contexts()
  contexts.follow(true)
  const requests = new Requests(openBridge(memory), { routes }, contexts)
  t.after(() => requests.stop())
  const { metrics } = makeMetrics()
  const stats = new RequestStats(openBridge(memory), metrics, new RecentBlocks())
  return {
    /** The request that is being worked on, as a record of a block here would name it. */
    here: () => {
      const { context } = requests.current()
      return `${context?.method} ${context?.template}`
    },
    /** Counts by method, route and class of the status, once there are so many in all. @param {number} total */
    counted: async (total) => {
      /** @type {Record<string, number>} */
      let counts = {}
      await eventually(async () => {
        stats.drain(Infinity)
        const samples = parseExposition(await metrics.render()).samples.filter(({ name }) => name === 'loopwatch_http_request_duration_seconds_count')
        counts = Object.fromEntries(samples.map(({ labels: { method, route, status_class: status }, value }) => [`${method} ${route} ${status}`, value]))
        return Object.values(counts).reduce((sum, count) => sum + count, 0) === total
      }, `${total} requests`)
      return counts
    }
  }
}

/** @param {http.Server} server @param {string} path @param {Record<string, string>} [headers] */
async function ask (server, path, headers = {}) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' })
  await response.text()
  return response.status
}

for (const name of ['express', 'express-4']) {
  test(`${name}: what is mounted and answers without a route goes by the whole path, in mid-block and at the end`, async (t) => {
    const { here, counted } = watch(t)
    const express = require(name)
    /** @type {string[]} */
    const seen = []
    const app = express()
    app.get('/users/:id', (/** @type {any} */ _, /** @type {any} */ response) => response.end())
    app.use('/graphql', async (/** @type {any} */ _, /** @type {any} */ response) => {
      await null
      seen.push(here())
      response.end()
    })
    app.use('/assets', express.static(path.join(__dirname, '..')))
    const admin = express.Router()
    admin.use((/** @type {any} */ _, /** @type {any} */ __, /** @type {any} */ next) => {
      seen.push(here())
      next()
    })
    admin.get('/users/:user', (/** @type {any} */ _, /** @type {any} */ response) => response.end())
    app.use('/admin', admin)
    const server = await listen(t, http.createServer(app))
    for (const path of ['/graphql?query=x', '/graphql', '/assets/run.js', '/admin/users/7']) assert.equal(await ask(server, path), 200, path)
    assert.deepEqual(seen, ['GET /graphql', 'GET /graphql', 'GET /admin/users/:id'])
    assert.deepEqual(await counted(4), { 'GET /graphql 2xx': 2, 'GET /assets/run.js 2xx': 1, 'GET /admin/users/:user 2xx': 1 })
  })

  test(`${name}: a router that applications and servers share has the mount of the one that was asked`, async (t) => {
    const { counted } = watch(t)
    const express = require(name)
    const orders = express.Router()
    orders.get('/:order', (/** @type {any} */ _, /** @type {any} */ response) => response.end())
    const [v1, v2, app, other, late] = [express(), express(), express(), express(), express()]
    v1.use('/orders', orders)
    v2.use('/orders', orders)
    app.use('/v1', v1)
    app.use('/v2', v2)
    other.use('/internal', orders)
    late.use('/first', orders)
    const [server, second, third] = [
      await listen(t, http.createServer(app)),
      await listen(t, http.createServer(other)),
      await listen(t, http.createServer(late))
    ]
    for (const path of ['/v1/orders/1', '/v2/orders/1', '/v2/orders/1', '/v1/orders/1']) await ask(server, path)
    await ask(second, '/internal/1')
    await ask(third, '/first/1')
    late.use('/second', orders)
    for (const path of ['/second/1', '/first/1']) await ask(third, path)
    assert.deepEqual(await counted(8), {
      'GET /v1/orders/:order 2xx': 2, 'GET /v2/orders/:order 2xx': 2, 'GET /internal/:order 2xx': 1, 'GET /first/:order 2xx': 2, 'GET /second/:order 2xx': 1
    })
  })
}

test('whoever is turned away in front of the routes takes no name, whoever asks for files not that of a route', async (t) => {
  const { counted } = watch(t, 10)
  const app = require('express')()
  app.use((/** @type {any} */ request, /** @type {any} */ response, /** @type {any} */ next) => {
    if (request.path.startsWith('/assets/')) return response.end('a file')
    if (request.path.startsWith('/moved/')) return response.redirect(301, '/')
    return request.headers.authorization ? next() : response.status(401).end()
  })
  app.post('/orders', (/** @type {any} */ _, /** @type {any} */ response) => response.end())
  app.get('/orders/:order', (/** @type {any} */ _, /** @type {any} */ response) => response.end())
  const server = await listen(t, http.createServer(app))
  const word = (/** @type {number} */ i) => `${'abcdefghijklm'[i % 13]}${'nopqrstuvwxyz'[Math.floor(i / 13)]}`
  for (let i = 0; i < 60; i++) await ask(server, `/${word(i)}.php`)
  for (let i = 0; i < 30; i++) await ask(server, `/moved/${word(i)}`)
  for (let i = 0; i < 30; i++) await ask(server, `/assets/${word(i)}.js`)
  for (let i = 0; i < 5; i++) await ask(server, '/orders/7', { authorization: 'x' })
  // What is known to be there keeps its name where it says no.
  await ask(server, `/assets/${word(0)}.js`)
  const counts = await counted(126)
  assert.equal(counts['GET (unmatched) 4xx'], 60)
  assert.equal(counts['GET (unmatched) 3xx'], 30)
  assert.equal(counts['GET /orders/:order 2xx'], 5)
  assert.equal(counts[`GET /assets/${word(0)}.js 2xx`], 2)
  assert.ok(counts['GET (other) 2xx'] > 0 && Object.keys(counts).filter((key) => key.includes('/assets/')).length === 10, JSON.stringify(counts))
})

test('a path that is known to be there keeps its name where it says no', async (t) => {
  const { counted } = watch(t)
  const server = await listen(t, http.createServer((request, response) => {
    response.statusCode = request.headers.authorization ? 200 : 403
    response.end()
  }))
  await ask(server, '/report')
  await ask(server, '/report', { authorization: 'x' })
  await ask(server, '/report')
  assert.deepEqual(await counted(3), { 'GET (unmatched) 4xx': 1, 'GET /report 2xx': 1, 'GET /report 4xx': 1 })
})

test('a method that a client makes up is cut off before it takes the room of the route and the stack', async (t) => {
  const { here, counted } = watch(t)
  /** @type {string[]} */
  const seen = []
  const server = http2.createServer((_, response) => {
    seen.push(here())
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = http2.connect(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`)
  t.after(() => {
    session.destroy()
    server.close()
  })
  for (const method of ['GET', 'PROPFIND', 'X'.repeat(10000)]) {
    const stream = session.request({ ':method': method, ':path': '/files' }).resume().end()
    await once(stream, 'close')
  }
  assert.deepEqual(seen, ['GET /files', 'PROPFIND /files', '(other) /files'])
  assert.deepEqual(await counted(3), { 'GET /files 2xx': 1, '(other) /files 2xx': 2 })
})
