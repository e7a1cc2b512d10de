'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { startApp, eventually } = require('../support/app')
const { parseExposition, valueOf } = require('../support/exposition')

/**
 * A receiver of messages.
 * @param {import('node:test').TestContext} t
 * @param {number[]} [statuses] of its first answers; 200 after them
 */
async function startReceiver (t, statuses = []) {
  /** @type {{ atMs: number, message: any }[]} */
  const got = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    got.push({ atMs: performance.now(), message: JSON.parse(body) })
    response.writeHead(statuses.shift() ?? 200).end('ok')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { got, notify: `http://127.0.0.1:${port}/hook` }
}

test('a long block is notified while it is in progress and the application can do nothing', async (t) => {
  const { got, notify } = await startReceiver(t, [503])
  const app = await startApp(t, { options: { notify, notifyAbove: 300, labels: { service: 'shop' } } })
  let answeredAtMs = Infinity
  const answer = app.get('/atomicsWait?ms=6000').then(() => { answeredAtMs = performance.now() })
  await eventually(() => got.length >= 2, () => `a message, and again what was refused: ${got.length}`)
  const degraded = async () => valueOf(parseExposition(await (await app.watchdog('/metrics')).text()).samples, 'loopwatch_degraded', { reason: 'notify' })
  await eventually(async () => await degraded() === 0, 'the receiver to be well again')
  await answer
  const [first, second] = got
  assert.ok(second.atMs < answeredAtMs, 'while it lasts')
  assert.deepEqual(second.message, first.message, 'the same once more')
  const { event, text, labels, block } = second.message
  // On a busy machine the sentence says that the process waits for a CPU.
  assert.match(text, /^shop on .* \(process \d+\): event loop blocked for .* so far: .+\.$/)
  assert.deepEqual([event, labels, block.ongoing, block.request.route, block.pid], ['block', { service: 'shop' }, true, '/atomicsWait', app.child.pid])
  assert.ok(block.durationMs >= 300, `${block.durationMs}`)

  await (await app.get('/spin?ms=10')).text()
  await eventually(async () => (/** @type {any[]} */ (await (await app.watchdog('/blocks')).json())).every(({ ongoing }) => !ongoing), 'its end')
  assert.equal(got.filter(({ message }) => message.block.id === block.id).length, 2, 'once, whatever else is known at its end')
})
