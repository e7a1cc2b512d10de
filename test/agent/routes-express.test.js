'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { make } = require('../fixtures/routed/express')
const { watchRoutes, listen } = require('../support/routes')
const { routeOfExpress } = require('../../lib/host/work/http/frameworks/express')

/**
 * Path asked, route in the handler (undefined: no handler ran), route at the end, status.
 * @type {[string, string | null | undefined, string | null, number][]}
 */
const CASES = [
  ['/', '/', '/', 200],
  ['/users/7?x=/a/b', '/users/:id', '/users/:id', 200],
  ['/users/me', '/users/:id', '/users/:id', 200],
  ['/first', '/first', '/first', 200],
  ['/second/8', '/second/:n', '/second/:n', 200],
  ['/pattern/12', '/^\\/pattern\\/(\\d+)$/', '/^\\/pattern\\/(\\d+)$/', 200],
  ['/api/v1/orders', '/api/v1/orders', '/api/v1/orders', 200],
  ['/api/v2/orders/', '/api/v2/orders', '/api/v2/orders', 200],
  ['/api/v1/orders/17/items/9', '/api/v1/orders/:order/items/:item', '/api/v1/orders/:order/items/:item', 200],
  ['/api/v2/orders/17/items', '/api/v2/orders/:order/items', '/api/v2/orders/:order/items', 200],
  ['/tenants/acme/9', '/tenants/:tid/:item', '/tenants/:tid/:item', 200],
  ['/tenants/tenants/tenants', '/tenants/:tid/:item', '/tenants/:tid/:item', 200],
  ['/tenants/acme/9/fail', '/tenants/:tid/:item/fail', '/tenants/:tid/:item/fail', 500],
  ['/tenants/acme/9/throw', '/tenants/:tid/:item/throw', '/tenants/:tid/:item/throw', 500],
  ['/api/v2/orders/17/items/9/fail', '/api/v2/orders/:order/items/:item/fail', '/api/v2/orders/:order/items/:item/fail', 500],
  ['/left', '/left', '/left', 200],
  ['/right/up/17/items/3', '/right/:side/:order/items/:item', '/right/:side/:order/items/:item', 200],
  ['/admin/users/3', '/admin/users/:id', '/admin/users/:id', 200],
  ['/admin/fail', '/admin/fail', '/admin/fail', 500],
  ['/sea/island/beach/4', '/sea/island/beach/:b', '/sea/island/beach/:b', 200],
  ['/by-hand/thing/5', '/by-hand/thing/:t', '/by-hand/thing/:t', 200],
  ['/by-hand/thing/5/fail', '/by-hand/thing/:t/fail', '/by-hand/thing/:t/fail', 500],
  ['/plain/anything', null, null, 200],
  ['/express.js', undefined, null, 200],
  ['/api/v1/orders/17/nothing', undefined, null, 404],
  ['/lost/and/found', undefined, null, 404],
  ['/nothing', undefined, null, 404]
]
const ONLY_4 = /** @type {typeof CASES} */ ([
  ['/only/12/x.y/3', '/only/:n/x.y/:item', '/only/:n/x.y/:item', 200],
  ['/digits/12', '/digits/:n(\\d+)', '/digits/:n(\\d+)', 200],
  ['/lost/and?found', undefined, '/lost/*', 200]
])

for (const [name, is4] of /** @type {[string, boolean][]} */ ([['express', false], ['express-4', true]])) {
  test(`${name} says its routes, in the handler and at the end`, async (t) => {
    const routes = watchRoutes()
    t.after(routes.stop)
    const server = await listen(t, make(require(name), routes.seen, is4))
    for (const [path, handler, end, status] of [...CASES, ...(is4 ? ONLY_4 : [])]) {
      assert.deepEqual(await routes.ask(server, path), { status, handler, end }, path)
    }
  })
}

test('a route first asked for after its error has left the nested router keeps its prefix', async (t) => {
  const routes = watchRoutes()
  t.after(routes.stop)
  for (const name of ['express', 'express-4']) {
    const server = await listen(t, make(require(name), () => {}))
    for (const [path, , end, status] of CASES.filter(([,,, status]) => status === 500)) {
      assert.deepEqual(await routes.ask(server, path), { status, handler: undefined, end }, `${name} ${path}`)
    }
  }
})

test('asking for a route of Express never throws and never runs an expression', () => {
  assert.equal(routeOfExpress({ url: '/' }), undefined)
  assert.equal(routeOfExpress({ url: '/', route: 'mine' }), undefined)
  assert.equal(routeOfExpress({ url: '/', get route () { throw new Error('mine') } }), undefined)
  assert.equal(routeOfExpress({ url: '/x', route: { path: undefined } }), undefined)
  assert.equal(/(b)/.test('abc'), true)
  routeOfExpress({ url: '/tenants/17/orders/3?a=b', baseUrl: '/tenants/17', route: { path: '/orders/:id' } })
  assert.equal(RegExp.$1, 'b')
})

test('where Express does not tell the mount, its part of the URL becomes a template', () => {
  for (const [url, baseUrl, path, route] of [
    ['/tenants/17/orders/3', '/tenants/17', '/orders/:id', '/tenants/:id/orders/:id'],
    ['/tenants/17/orders/3', '', '/orders/:id', '/tenants/:id/orders/:id'],
    ['/tenants/17/', '', '/', '/tenants/:id'],
    ['http://shop.example/v1/orders/3', '/v1', '/orders/:id', '/v1/orders/:id'],
    ['/files/17/a/b/c', '/files/17', '/*rest', '/files/:id/*rest']
  ]) assert.equal(routeOfExpress({ url: '/ignored', originalUrl: url, baseUrl, route: { path } }), route, url)
})

test('routers of Express 5 that only keep their last match say their mounts from it', () => {
  const route = { path: '/orders/:id' }
  const layer = /** @type {any} */ ({
    slash: false,
    path: undefined,
    params: undefined,
    matchers: [() => {}],
    handle: Object.assign(() => {}, { stack: [{ route }] })
  })
  const app = { router: { stack: [layer] } }
  const ask = (/** @type {string} */ tenant) => routeOfExpress({ originalUrl: `/tenants/${tenant}/orders/3`, baseUrl: `/tenants/${tenant}`, route, app })
  assert.equal(ask('acme'), '/tenants/acme/orders/:id', 'the match of another request has failed since')
  Object.assign(layer, { path: '/tenants/caf%C3%A9', params: { tid: 'café' } })
  assert.equal(ask('acme'), '/tenants/:tid/orders/:id')
  Object.assign(layer, { path: undefined, params: undefined })
  assert.equal(ask('other'), '/tenants/:tid/orders/:id')
  const several = { path: '/orders/:id' }
  layer.handle.stack[0].route = several
  Object.assign(layer, { path: '/left', params: {}, matchers: [() => {}, () => {}] })
  assert.equal(routeOfExpress({ originalUrl: '/right/orders/3', baseUrl: '/right', route: several, app }), '/right/orders/:id')
})
