'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { sharesOf, withoutGuess, workOf } = require('../../../lib/explain/work')

/** @param {string} name @returns {import('../../../lib/types').Frame} */
const frame = (name) => ({ function: name, file: '/srv/app.js', line: 1, column: 1 })

/** @param {string} route @param {number} [id] @returns {any} */
const request = (route, id = 1) => ({ id, method: 'GET', route, startedAtMs: 0 })

/**
 * @param {number} weightMs
 * @param {string[]} names innermost first
 * @param {any} of the request
 * @returns {import('../../../lib/explain/fold').Stack}
 */
const stack = (weightMs, names, of) =>
  ({ count: 1, weightMs, lateMs: 0, frames: names.map(frame), works: [{ work: null, request: of, weightMs }] })

/** @param {import('../../../lib/explain/fold').Stack[]} stacks @param {string | null} blamed */
const told = (stacks, blamed) => {
  const { request: of, exact } = workOf(stacks, blamed === null ? null : frame(blamed))
  return [of?.route ?? null, exact]
}

test('the work is that in which the blamed function was seen, and none if it was seen in none', () => {
  const stacks = [stack(75, ['refresh'], null), stack(20, ['report'], request('/report'))]
  assert.deepEqual(told(stacks, 'refresh'), [null, true])
  assert.deepEqual(told(stacks, 'report'), ['/report', true])
})

test('a function that is to blame in no stack has the work of those that it is in, else that of all with a doubt', () => {
  const stacks = [stack(20, ['check', 'load'], request('/load')), stack(75, ['refresh'], null)]
  assert.deepEqual(told(stacks, 'load'), ['/load', true])
  assert.deepEqual(told([stack(20, ['report'], request('/report'))], 'refresh'), ['/report', false])
})

test('a request is certain if the only stack shows a caller to which the native call had returned', () => {
  const [app, noApp] = ['/srv/app.js', '/srv/node_modules/express/index.js']
  const of = (/** @type {any[]} */ answered, /** @type {any[]} */ profiled) =>
    workOf([{ ...stack(20, [], request('/teams')), frames: answered }], frame('teams'), { profiled: [{ frames: profiled }] }).exact
  const called = [{ ...frame('get'), file: null }, frame('teams'), frame('handler')]
  assert.equal(of([frame('json'), frame('handler')], called), true)
  assert.equal(of([frame('json'), frame('other')], called), false)
  const unnamed = (/** @type {number} */ line, /** @type {string | null} */ name = null) =>
    ({ function: name, file: app, line, column: 1 })
  const handler = [frame('teams'), unnamed(12, 'module.exports')]
  assert.equal(of([frame('json'), unnamed(14)], handler), true, 'a profile has another name')
  assert.equal(of([frame('json'), unnamed(11)], handler), false)
  const incoming = { ...frame('parserOnIncoming'), file: 'node:_http_server' }
  assert.equal(of([incoming], [frame('teams'), { ...frame('handle'), file: noApp }, incoming]), true, 'it had returned')
  const emit = { ...frame('emit'), file: 'node:events' }
  assert.equal(of([emit], [frame('teams'), emit]), false, 'an event may be any')
})

test('a block in a timer without a context has no request, though one is open', () => {
  const timer = (/** @type {any} */ of, /** @type {string[]} */ ...more) => ({
    ...stack(300, ['check'], of),
    frames: [frame('check'), ...[...more, 'listOnTimeout'].map((name) => ({ ...frame(name), file: 'node:internal/timers' }))]
  })
  const guess = { ...request('/wait'), exact: false }
  const requestOf = (/** @type {any} */ each) => withoutGuess(each).works[0].request?.route ?? null
  assert.equal(requestOf(timer(guess)), null)
  assert.equal(requestOf(timer(request('/wait'))), '/wait', 'its context')
  assert.equal(requestOf(timer(guess, 'runMicrotasks')), '/wait', 'a continuation may have lost its context')
  assert.equal(requestOf({ ...timer(guess), cut: true }), '/wait')
  assert.equal(requestOf(stack(300, ['check'], guess)), '/wait')
})

test('many requests of one route are certain, those of several are not', () => {
  const of = (/** @type {string[]} */ routes) => routes.map((route, i) => stack(10, ['handle'], request(route, i)))
  assert.deepEqual(told(of(['/a', '/a', '/a']), 'handle'), ['/a', true])
  assert.deepEqual(told(of(['/a', '/b', '/c']), 'handle'), ['/a', false])
})

/** A job of 400 ms and six requests of 200 ms. */
const mixed = () => [
  stack(400, ['spin'], null), ...Array.from({ length: 6 }, (_, i) => stack(200, ['spin', 'page'], request('/page', i + 1)))
]

test('six requests of one route are one work, though a job is longer than any of them', () => {
  assert.deepEqual(told(mixed(), 'spin'), ['/page', true])
  const twice = [stack(300, ['spin'], null), ...mixed(), stack(500, ['load'], request('/page', 7))]
  assert.deepEqual(told([...twice, stack(1000, ['spin'], null)], 'spin'), [null, true], 'no work has most of the block')
})

test('each work has its share of a block and its own line', () => {
  const line = { ...frame('told'), exact: true }
  const page = { work: null, request: request('/page') }
  const shares = (/** @type {any[]} */ stacks) => sharesOf(stacks, {}, page, line)
    ?.map(({ running, frame: at, weightMs }) => [running.request?.route ?? null, running.exact, at?.function, weightMs])
  assert.deepEqual(shares(mixed()), [['/page', true, 'told', 1200], [null, true, 'spin', 400]])
  assert.equal(shares([stack(95, ['spin'], request('/page')), stack(9, ['spin'], null)]), undefined)
})

test('without a blamed function all stacks tell', () => {
  assert.deepEqual(told([stack(60, [], request('/stop')), stack(10, [], null)], null), ['/stop', true])
})

/** A stack in a request's context whose innermost function is written in handlers of some routes. */
const inHandler = (/** @type {string[]} */ written, /** @type {any} */ of, /** @type {any[]} */ others, /** @type {string[]} */ names = ['draw']) => {
  const routesOf = (/** @type {any} */ each) => each.function === names[0] ? written : []
  const { request: found, work, exact } = workOf([stack(60, names, of)], frame(names[0]), { routesOf, others })
  assert.equal(work?.name ?? null, found === null || found === of ? null : `GET ${found.route}`)
  return [found?.route ?? null, exact]
}

test('the one of two open requests in whose handler the function is written is named, whatever the context says', () => {
  const [thumb, report] = [request('/api/thumb', 1), request('/api/report', 2)]
  assert.deepEqual(inHandler(['GET /report'], thumb, [thumb, report]), ['/api/report', true])
  assert.deepEqual(inHandler(['GET /report'], null, [thumb, report]), ['/api/report', true])
  assert.deepEqual(inHandler(['GET /thumb'], thumb, [thumb, report]), ['/api/thumb', true])
  assert.deepEqual(inHandler(['GET /report', 'GET /users'], report, []), ['/api/report', true], 'a client that is called in it looks like a route')
  assert.deepEqual(inHandler(['GET /report'], thumb, [thumb]), ['/api/thumb', false], 'nobody has asked for the route')
  assert.deepEqual(inHandler(['POST /report'], thumb, [thumb, report]), ['/api/thumb', false])
  assert.deepEqual(inHandler(['GET /thing'], thumb, [request('/a/thing', 3), request('/b/thing', 4)]), ['/a/thing', false])
  const nested = { routesOf: (/** @type {any} */ each) => [`GET /${each.function}`], others: [thumb, report] }
  assert.equal(workOf([stack(60, ['report', 'thumb'], thumb)], frame('report'), nested).request?.route, '/api/report', 'the innermost')
  assert.deepEqual(inHandler([], thumb, [thumb, report]), ['/api/thumb', true])
})

test('a package that goes on by itself runs functions in whatever context it is in, a framework in that of the request', () => {
  const named = (/** @type {string[]} */ files, /** @type {any[]} */ others = [request('/a'), request('/b', 2)]) => {
    const frames = files.map((file, i) => ({ ...frame(`f${i}`), file }))
    const stacks = [{ ...stack(60, [], request('/a')), frames }]
    return workOf(stacks, frames[0], { others }).exact
  }
  const [app, pool, timers] = ['/srv/app.js', '/srv/node_modules/pool/index.js', 'node:internal/timers']
  assert.equal(named([app, pool, timers]), false)
  assert.equal(named([app, pool, timers], [request('/a')]), true, 'no other request is open')
  assert.equal(named([app, '/srv/node_modules/@apollo/server/dist/index.js', '/srv/node_modules/graphql/execute.js']), true)
  assert.equal(named([app, timers]), true)
  assert.equal(named([app, pool, app, timers]), true)
  assert.equal(named([app, '/srv/node_modules/express/lib/router.js', '/srv/node_modules/raw-body/index.js', timers]), true)
  assert.equal(named([pool, timers]), true, 'a package\'s own')
})
