'use strict'

// A server of @grpc/grpc-js, which serves streams of HTTP/2 without the compatibility API, under the agent.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Client, credentials, Metadata } = require('@grpc/grpc-js')
const { eventually } = require('../support/app')
const { PATHS } = require('../support/grpc')
const { startServer } = require('../support/requests')

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const asIs = (/** @type {Buffer} */ value) => value

/** @param {import('node:test').TestContext} t @param {number} port */
function connect (t, port) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  t.after(() => client.close())
  /**
   * @param {string} path
   * @param {string} text
   * @returns {Promise<string | number | undefined>} the answer, or the code of gRPC
   */
  const ask = (path, text) => new Promise((resolve) => {
    const metadata = new Metadata()
    metadata.set('traceparent', `00-${TRACE}-00f067aa0ba902b7-01`)
    client.makeUnaryRequest(path, asIs, asIs, Buffer.from(text), metadata, (/** @type {any} */ error, /** @type {Buffer} */ answer) => resolve(error ? error.code : `${answer}`))
  })
  return { client, ask }
}

test('methods of gRPC are routes by their whole name, and a block is blamed on the call it is in', async (t) => {
  const { port, settles, blocks } = await startServer(t, { fixture: 'grpc-app.js', options: { requests: 'on' } })
  const { client, ask } = connect(t, port)
  assert.equal(await ask(PATHS.unary, 'x'), 'x')
  assert.equal(await ask(PATHS.unary, 'block'), 'block')
  assert.equal(await ask('/shop.v1.Nothing/Of', 'x'), 12, 'UNIMPLEMENTED')
  const stored = await new Promise((resolve, reject) => {
    const call = client.makeClientStreamRequest(PATHS.upload, asIs, asIs, (/** @type {any} */ error, /** @type {Buffer} */ answer) => error ? reject(error) : resolve(`${answer}`))
    call.write(Buffer.from('a'))
    setTimeout(() => call.end(), 20)
  })
  assert.equal(stored, 'stored')
  await settles({ [`POST ${PATHS.unary} 2xx`]: 2, 'POST (unmatched) 2xx': 1, [`POST ${PATHS.upload} 2xx`]: 1 })
  // A busy machine may add others.
  const requestOf = (/** @type {string} */ route) => eventually(async () =>
    (await blocks()).find(({ request }) => request?.route === route)?.request, `the block of ${route}`)
  const { method, traceId } = await requestOf(PATHS.unary)
  assert.deepEqual([method, traceId], ['POST', TRACE])
  await requestOf(PATHS.upload)
})

test('a call of gRPC that lasts is in flight, and aborted where the client ends it', async (t) => {
  const { port, settles, inFlight } = await startServer(t, { fixture: 'grpc-app.js' })
  const { client } = connect(t, port)
  const call = client.makeServerStreamRequest(PATHS.watch, asIs, asIs, Buffer.from(''))
  call.on('error', () => {})
  await once(call, 'data')
  await eventually(async () => await inFlight() === 1, 'the call to be in flight')
  call.cancel()
  await settles({ [`POST ${PATHS.watch} aborted`]: 1 })
})
