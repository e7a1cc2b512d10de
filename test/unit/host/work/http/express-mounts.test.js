'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { mountsOf } = require('../../../../../lib/host/work/http/frameworks/express-mounts')

/** A router as Express makes them, as far as it is looked at. */
const makeRouter = () => Object.assign(() => {}, { stack: /** @type {object[]} */ ([]) })

/** @param {ReturnType<typeof makeRouter>} router @param {string} rawPath */
const layerOf = (router, rawPath) => ({ rawPath, handle: router })

test('a route has a prefix for each place at which its router is mounted', () => {
  const [app, api] = [makeRouter(), makeRouter()]
  const route = {}
  app.stack.push(layerOf(api, '/v1'), layerOf(api, '/v2/'))
  api.stack.push({ route: {} }, { route })
  assert.deepEqual(mountsOf(route, app), ['/v1', '/v2'])
})

test('routers that mount each other at several places are not looked through for ever', () => {
  const [app, a, b] = [makeRouter(), makeRouter(), makeRouter()]
  const route = {}
  app.stack.push({ route }, layerOf(a, '/a'))
  for (let i = 0; i < 4; i++) {
    a.stack.push(layerOf(b, `/${i}`))
    b.stack.push(layerOf(a, `/${i}`))
  }
  // 4^16 layers would take minutes.
  assert.deepEqual(mountsOf(route, app), [''])
})

test('a mount below an expression is searched once, and again when the application has grown', () => {
  const [app, api] = [makeRouter(), makeRouter()]
  const route = {}
  let searches = 0
  const expression = { get regexp () { searches++; return /^\/(a|b)/ }, handle: api }
  app.stack.push(expression)
  api.stack.push({ route })
  assert.deepEqual(mountsOf(route, app), [null])
  const first = searches
  mountsOf(route, app)
  assert.equal(searches, first)
  app.stack.push(layerOf(api, '/v2'))
  assert.deepEqual(mountsOf(route, app), [null, '/v2'])
})

test('a mount that shows its path only while a request runs through it is found later', () => {
  const [app, api] = [makeRouter(), makeRouter()]
  const route = {}
  const layer = { handle: api, matchers: [() => {}], params: {}, path: /** @type {string | undefined} */ (undefined) }
  app.stack.push(layer)
  api.stack.push({ route })
  assert.deepEqual(mountsOf(route, app), [null])
  layer.path = '/v1'
  assert.deepEqual(mountsOf(route, app), ['/v1'])
})
