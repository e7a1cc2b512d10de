'use strict'

// The load driver against real servers, and what the scenarios with servers decide on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { drive } = require('../../scenarios/load/drive')
const { findK6, runK6 } = require('../../scenarios/load/k6')

/** @param {import('node:test').TestContext} t @param {http.RequestListener} answer */
async function listen (t, answer) {
  let [requests, connections] = [0, 0]
  const server = http.createServer((request, response) => {
    requests++
    answer(request, response)
  }).on('connection', () => connections++)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/`, counts: () => ({ requests, connections }) }
}

test('k6 and the built-in driver say the same of the same server', { skip: findK6() === null ? 'k6 is not on the PATH' : false }, async (t) => {
  // A delay that both must see, far above what either costs.
  const { url } = await listen(t, (_, response) => setTimeout(() => response.end('0123456789'), 40))
  const order = { url, users: 4, seconds: 2, headers: { host: 'localhost:3000', 'user-agent': 'lw' }, expect: { body: '0123456789' } }
  const [ours, theirs] = [await drive(order), await runK6(order)]
  assert.deepEqual([theirs.failed, ours.failed], [0, 0])
  for (const read of /** @type {((load: any) => number)[]} */ ([(load) => load.perSecond, (load) => load.durationMs.med, (load) => load.bytesReceived / load.requests])) {
    assert.ok(Math.abs(read(ours) / read(theirs) - 1) < 0.1, `${read(ours)} and ${read(theirs)}`)
  }
})
