'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { watchConnections } = require('../../../../../lib/host/work/http/connections')

const EVENTS = ['connection', 'secureConnection', 'close']

/** @param {http.Server} server */
const counts = (server) => EVENTS.map((event) => server.listenerCount(event))

test('a server that is closed has the listeners that it has without the agent, and is watched when it listens again', async (t) => {
  const server = http.createServer()
  const bare = counts(server)
  const stop = watchConnections(() => {})
  t.after(stop)
  for (let i = 0; i < 2; i++) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    assert.equal(server.listenerCount('connection'), bare[0] + 1)
    await /** @type {Promise<void>} */ (new Promise((resolve) => server.close(() => {
      assert.deepEqual(counts(server).slice(0, 2), bare.slice(0, 2))
      resolve()
    })))
    assert.deepEqual(counts(server), bare)
  }
})

test('an agent that stops leaves no listener on a server that listens', async (t) => {
  const server = http.createServer()
  const bare = counts(server)
  const stop = watchConnections(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  stop()
  assert.deepEqual(counts(server), bare)
})
