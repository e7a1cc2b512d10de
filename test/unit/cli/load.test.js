'use strict'

// The load of `profile` and `diagnose`.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { applyLoad, faultInWords, loadInWords } = require('../../../lib/cli/profile/load')

test('requests that are not answered in time count as long as they were waited for', async (t) => {
  const server = http.createServer(({ url }, response) => { if (url === '/') response.end() }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { fetch } = globalThis
  let asked = 0
  // Every other request gets no answer, the rest has all the time that it needs.
  /** @param {string} url @param {RequestInit} options */
  const every = (url, options) => asked++ % 2 === 0 ? fetch(url) : fetch(`${url}silent`, options)
  t.mock.method(globalThis, 'fetch', every)
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const load = await applyLoad(`http://127.0.0.1:${port}/`, Infinity, () => asked >= 40, 100)
  const { requests, failed, timedOut, p99Ms } = load
  const half = Math.floor(asked / 2)
  assert.deepEqual({ requests, failed, timedOut }, { requests: asked, failed: half, timedOut: half })
  assert.ok(p99Ms >= 100, `${p99Ms}`)
  assert.match(loadInWords({ requests: 9, failed: 3, refused: 1, statuses: new Map([[500, 1], [404, 1]]), timedOut: 2, p50Ms: 1, p99Ms: 2 }), /^9 requests, 3 failed \(2 of them not answered within 10 s\), 1 refused, p50 1\.0 ms, p99 2\.0 ms$/)
})

test('the summary says if hardly any request is served, and which status most got', async (t) => {
  const server = http.createServer((request, response) => {
    response.statusCode = Number(request.url?.slice(1))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const load = (/** @type {string} */ path, at = port) => {
    let asked = 0
    return applyLoad(`http://127.0.0.1:${at}${path}`, Infinity, () => asked++ >= 20)
  }
  const [served, refused, failed, gone] = [await load('/200'), await load('/404'), await load('/500'), await load('/', 1)]
  assert.deepEqual([served, refused, failed, gone].map(({ requests }) => requests), [20, 20, 20, 20])
  assert.deepEqual([served.failed, served.refused, faultInWords(served)], [0, 0, null])
  assert.deepEqual([refused.failed, refused.refused], [0, refused.requests])
  assert.match(loadInWords(refused), /, 0 failed, (\d+) refused, .*; the application answered 404 to \1 of \1 requests \(is the path right, /)
  assert.deepEqual([failed.failed, failed.refused], [failed.requests, 0])
  assert.match(loadInWords(failed), /^(\d+) requests, \1 failed, 0 refused, .*; the application answered 500 to \1 of \1 requests /)
  assert.match(loadInWords(gone), /; the application did not answer (\d+) of \1 requests$/)
  assert.equal(faultInWords({ ...served, requests: 10, failed: 5, statuses: new Map([[500, 5]]) }), null, 'half of them')
})
