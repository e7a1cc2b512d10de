'use strict'

// runtime: node:http2 and its diagnostics channels
const test = require('node:test')
const assert = require('node:assert/strict')
const http2 = require('node:http2')
const https = require('node:https')
const { cert } = require('../support/certificate')
const { eventually } = require('../support/app')
const { startServer } = require('../support/requests')

test('HTTP/2 requests are counted, streams that are reset as aborted', async (t) => {
  const { port, settles, inFlight, blocks } = await startServer(t, { kind: 'http2', options: { requests: 'on' } })
  const session = http2.connect(`http://127.0.0.1:${port}`)
  t.after(() => session.destroy())
  const ask = (/** @type {string} */ path) => new Promise((resolve) => session.request({ ':path': path }).resume().on('close', resolve))
  await Promise.all(['/a', '/a', '/status/500', '/block/awaits'].map(ask))
  const post = session.request({ ':path': '/block/body', ':method': 'POST' })
  post.write('x')
  setTimeout(() => post.end('y'), 20)
  await new Promise((resolve) => post.resume().on('close', resolve))
  const never = session.request({ ':path': '/never' })
  never.on('error', () => {})
  await eventually(async () => await inFlight() === 1, 'the request to be in flight')
  never.close(http2.constants.NGHTTP2_CANCEL)
  await settles({ 'GET /a 2xx': 2, 'GET /status/:id 5xx': 1, 'GET /block/awaits 2xx': 1, 'POST /block/body 2xx': 1, 'GET /never aborted': 1 })
  // A busy machine adds others.
  await eventually(async () => {
    const routes = (await blocks()).map(({ request }) => request?.route)
    return routes.includes('/block/body') && routes.includes('/block/awaits')
  }, async () => `both blocks in ${JSON.stringify(await blocks())}`)
})

test('a server for both counts HTTP/1 and HTTP/2 once each', async (t) => {
  const { port, settles } = await startServer(t, { kind: 'both' })
  await new Promise((resolve) => https.get({ port, host: 'localhost', path: '/one', ca: cert, agent: false }, (response) => response.resume().on('end', resolve)))
  const session = http2.connect(`https://localhost:${port}`, { ca: cert })
  t.after(() => session.destroy())
  await new Promise((resolve) => session.request({ ':path': '/two' }).resume().on('close', resolve))
  await settles({ 'GET /one 2xx': 1, 'GET /two 2xx': 1 })
})

test('a server of raw HTTP/2 streams does not get the compatibility API', async (t) => {
  const { port } = await startServer(t, { kind: 'http2-streams' })
  const session = http2.connect(`http://127.0.0.1:${port}`)
  t.after(() => session.destroy())
  let listeners = ''
  await new Promise((resolve) => session.request({ ':path': '/' }).on('data', (data) => { listeners += data }).on('close', resolve))
  assert.equal(listeners, '0')
})
