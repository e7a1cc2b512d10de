'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { eventually } = require('../support/app')
const { NoopAgent } = require('../../lib/host/noop-agent')
const { watchRoutes, listen } = require('../support/routes')

/**
 * Path asked, route in the handler (undefined: none ran), route at the end, status, request.
 * @typedef {[string, string | null | undefined, string | null | undefined, number, RequestInit?]} Case
 */

const json = (/** @type {unknown} */ body) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** @type {Case[]} */
const FASTIFY = [
  ['/', '/', '/', 200],
  ['/api/v1/', '/api/v1', '/api/v1', 200],
  ['/api/v1/users/7?x=1', '/api/v1/users/:id', '/api/v1/users/:id', 200],
  ['/api/v1/users/7?hook', '/api/v1/users/:id', '/api/v1/users/:id', 200],
  ['/api/v1/users/7/fail', '/api/v1/users/:id/fail', '/api/v1/users/:id/fail', 500],
  ['/api/v1/users', '/api/v1/users', '/api/v1/users', 200, json({ name: 'Ann' })],
  ['/api/v1/users', undefined, '/api/v1/users', 400, json({})],
  ['/api/v1/files/a/b', '/api/v1/files/*', '/api/v1/files/*', 200],
  ['/api/v1/orders/17/items/9', '/api/v1/orders/:order/items/:item', '/api/v1/orders/:order/items/:item', 200],
  ['/old/versioned/3', '/old/versioned/:id', '/old/versioned/:id', 200, { headers: { 'accept-version': '1.x' } }],
  ['/old/nothing', null, null, 404],
  ['/nothing', undefined, null, 404]
]

/** @type {Case[]} */
const KOA = [
  ['/', '/', '/', 200],
  ['/users/me', '/users/me', '/users/me', 200],
  ['/users/7', '/users/:id', '/users/:id', 200],
  ['/users/7?early', '/users/:id', '/users/:id', 200],
  ['/fail/7', '/fail/:id', '/fail/:id', 500],
  ['/pattern/12', '/^\\/pattern\\/(\\d+)$/', '/^\\/pattern\\/(\\d+)$/', 200],
  ['/api/v2/orders/17/items', '/api/:version/orders/:order/items', '/api/:version/orders/:order/items', 200],
  ['/api/v2/orders/17/items/9', '/api/:version/orders/:order/items/:item', '/api/:version/orders/:order/items/:item', 200],
  ['/mounted', '/mounted', '/mounted', 200],
  ['/mounted/things/3?x=/y', '/mounted/things/:thing', '/mounted/things/:thing', 200],
  ['/nothing', undefined, null, 404]
]

/** @type {Case[]} */
const HAPI = [
  ['/', '/', '/', 200],
  ['/users/7?x=1', '/users/{id}', '/users/{id}', 200],
  ['/users/7?early', '/users/{id}', '/users/{id}', 200],
  ['/files/a/b', '/files/{path*}', '/files/{path*}', 200],
  ['/fail/7', '/fail/{id}', '/fail/{id}', 500],
  ['/api/v2/items/9', '/api/{version}/items/{item?}', '/api/{version}/items/{item?}', 200],
  ['/nothing', undefined, null, 404]
]

/**
 * @param {ReturnType<typeof watchRoutes>} routes
 * @param {import('node:http').Server} server
 * @param {Case[]} cases
 * @param {string} [when]
 */
async function check (routes, server, cases, when = '') {
  for (const [path, handler, end, status, init] of cases) {
    assert.deepEqual(await routes.ask(server, path, init), { status, handler, end }, `${path} ${when}`)
  }
}

/** @param {import('node:test').TestContext} t */
function watch (t) {
  const routes = watchRoutes()
  t.after(routes.stop)
  return routes
}

test('Fastify says its routes before any hook of the application', async (t) => {
  const routes = watch(t)
  const app = require('../fixtures/routed/fastify').make(require('fastify'), routes.seen)
  await app.ready()
  await check(routes, await listen(t, app.server), FASTIFY)
})

test('an instance of Fastify that is older than the agent says its routes when the handler runs', async (t) => {
  let seen = (/** @type {any} */ _) => {}
  const app = require('../fixtures/routed/fastify').make(require('fastify'), (/** @type {any} */ request) => seen(request))
  await app.ready()
  const routes = watch(t)
  seen = routes.seen
  await check(routes, await listen(t, app.server), FASTIFY
    .filter(([path, handler]) => typeof handler === 'string' && !path.includes('hook')))
})

test('with the plugin an older instance of Fastify says its routes before its own hooks as well', async (t) => {
  const { fastify } = new NoopAgent()
  let seen = (/** @type {any} */ _) => {}
  const app = require('fastify')()
  app.register(fastify)
  app.register(async (/** @type {any} */ all) => require('../fixtures/routed/fastify').fill(all, (/** @type {any} */ request) => seen(request)))
  await app.ready()
  const routes = watch(t)
  seen = routes.seen
  await check(routes, await listen(t, app.server), FASTIFY)
})

test('Koa says its routes, loaded before the agent or after', async (t) => {
  const { make } = require('../fixtures/routed/koa')
  for (const order of ['after', 'before']) {
    if (order === 'after') for (const file of Object.keys(require.cache)) if (/[\\/]koa[\\/]/.test(file)) delete require.cache[file]
    const routes = watchRoutes()
    try {
      await check(routes, await listen(t, make(require('koa'), require('@koa/router'), routes.seen)), KOA, `loaded ${order}`)
    } finally {
      routes.stop()
    }
  }
})

test('hapi says its routes, loaded before the agent or after', async (t) => {
  const { make } = require('../fixtures/routed/hapi')
  for (const order of ['after', 'before']) {
    const routes = watchRoutes()
    const server = await make(require('@hapi/hapi'), routes.seen)
    try {
      await server.start()
      await check(routes, server.listener, HAPI, `loaded ${order}`)
    } finally {
      await server.stop()
      routes.stop()
    }
  }
})

test('a framework that is loaded behind a server with open connections is found within seconds', async (t) => {
  const routes = watch(t)
  let handle = (/** @type {any} */ _, /** @type {any} */ res) => res.end('ok')
  const server = await listen(t, http.createServer((req, res) => handle(req, res)))
  assert.equal((await routes.ask(server, '/users/7')).end, undefined)
  for (const file of Object.keys(require.cache)) if (/[\\/]koa[\\/]/.test(file)) delete require.cache[file]
  const late = require('../fixtures/routed/koa').make(require('koa'), require('@koa/router'), () => {})
  handle = /** @type {any} */ (late.listeners('request')[0])
  await eventually(async () => (await routes.ask(server, '/users/7')).end === '/users/:id', 'the route')
})

/** @type {Case[]} */
const NEST = [
  ['/api/v1/cats', '/api/v1/cats', '/api/v1/cats', 200],
  ['/api/v1/cats/7?x=1', '/api/v1/cats/:id', '/api/v1/cats/:id', 200],
  ['/api/v2/cats/7', '/api/v2/cats/:id', '/api/v2/cats/:id', 200],
  ['/api/v1/cats/7/fail', '/api/v1/cats/:id/fail', '/api/v1/cats/:id/fail', 500],
  ['/api/v1/cats/7/guarded', undefined, '/api/v1/cats/:id/guarded', 403],
  ['/api/v1/nothing', undefined, null, 404]
]

for (const platform of ['express', 'fastify']) {
  test(`NestJS on ${platform} says its routes`, async (t) => {
    const routes = watch(t)
    const { make } = await import('../fixtures/routed/nest.mjs')
    const app = await make(platform, routes.seen)
    await app.listen(0, '127.0.0.1')
    t.after(() => app.close())
    await check(routes, app.getHttpServer(), NEST)
  })
}

test('what is watched for stays a plain property of the object, and stop() leaves no trace', async (t) => {
  const Koa = require('koa')
  const context = require('koa/lib/context')
  const routes = watchRoutes()
  const app = new Koa()
  // Found with the first connection.
  await routes.ask(await listen(t, http.createServer((request, response) => response.end())), '/')
  const make = () => /** @type {any} */ (app.createContext(/** @type {any} */ ({ url: '/', headers: {} }), /** @type {any} */ ({})))
  const ctx = make()
  assert.equal(ctx._matchedRoute, undefined)
  assert.equal(Object.keys(ctx).includes('_matchedRoute'), false)
  ctx._matchedRoute = '/a'
  ctx._matchedRoute = '/b'
  const other = make()
  other._matchedRoute = '/c'
  assert.equal('_matchedRoute' in context, true)
  routes.stop()
  assert.deepEqual([ctx._matchedRoute, other._matchedRoute], ['/b', '/c'])
  assert.deepEqual([Object.keys(ctx).includes('_matchedRoute'), Object.hasOwn(ctx, '_matchedRoute')], [true, true])
  assert.deepEqual([...Object.keys(Object.getOwnPropertyDescriptors(context))].filter((key) => /matched/i.test(key)), [])
  assert.equal(Object.hasOwn(require('@hapi/hapi/lib/request').prototype, 'route'), false)
})
