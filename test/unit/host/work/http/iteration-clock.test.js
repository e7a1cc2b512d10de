'use strict'

// runtime: node:net and the turns of the loop
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const timers = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { nowMs } = require('../../../../../lib/util/clock')
const { Requests } = require('../../../../../lib/host/work/http/requests')
const { IterationClock } = require('../../../../../lib/host/work/http/iteration-clock')

/** @param {number} ms */
function spin (ms) {
  for (const untilMs = nowMs() + ms; nowMs() < untilMs;);
}

test('the time stands still within a turn of the loop, whatever that turn does, and has gone on in the next', async () => {
  const turn = new IterationClock()
  // A timer may still come in the turn that set it, where the machine is busy: what follows it does not.
  const afterTimer = () => timers.setTimeout(2).then(() => timers.setImmediate())
  for (const next of [timers.setImmediate, afterTimer, timers.setImmediate]) {
    const beforeMs = nowMs()
    const atMs = turn.nowMs()
    spin(5)
    await null
    assert.equal(turn.nowMs(), atMs)
    assert.ok(atMs >= beforeMs && atMs <= nowMs() - 5, `${beforeMs} to ${atMs}`)
    await next()
  }
})

test('requests that come at once count from there: the last has waited for all before it', async () => {
  const bridge = openBridge(createMemory())
  const requests = new Requests(bridge, {})
  const server = http.createServer((request, response) => {
    spin(20)
    response.end()
  }).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const sockets = Array.from({ length: 5 }, () => net.connect(/** @type {net.AddressInfo} */ (server.address()).port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const ask = () => {
      const answers = sockets.map((socket) => {
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        return once(socket, 'data')
      })
      // Until the last of them is there.
      spin(20)
      return Promise.all(answers)
    }
    // The first time they are accepted one after the other.
    await ask()
    await timers.setImmediate()
    bridge.requests.drain()
    await ask()
    await timers.setImmediate()
    const durationsMs = bridge.requests.drain().map(([, , durationMs]) => durationMs)
    assert.equal(durationsMs.length, 5)
    assert.ok(durationsMs.every((durationMs, i) => durationMs >= 20 * (i + 1)), String(durationsMs))
    for (const socket of sockets) socket.destroy()
  } finally {
    server.close()
    requests.stop()
  }
})
