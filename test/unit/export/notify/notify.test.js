'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { Notifier, PER_MINUTE, messageOf } = require('../../../../lib/export/notify/notify')
const { makeRecord } = require('../../../support/record')

/**
 * A notifier with a real receiver.
 * @param {import('node:test').TestContext} t
 * @param {number[]} [statuses] of its first answers; 200 after them
 */
async function start (t, statuses = []) {
  /** @type {any[]} */
  const got = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    got.push({ ...JSON.parse(body), authorization: request.headers.authorization })
    response.writeHead(statuses.shift() ?? 200).end('ok')
    server.emit('got')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  /** @type {(string | null)[]} */
  const states = []
  let lost = 0
  const notifier = new Notifier({
    url: `http://me:secret@127.0.0.1:${port}/hook`,
    aboveMs: 1000,
    labels: { service: 'shop' },
    onState: (error) => states.push(error?.message ?? null),
    onLost: (count) => { lost += count },
    retryMs: 5
  })
  t.after(() => notifier.stop())
  const received = async (/** @type {number} */ count) => { while (got.length < count) await once(server, 'got', { signal: AbortSignal.timeout(5000) }) }
  return { notifier, got, states, received, lost: () => lost }
}

const block = (/** @type {object} */ differences) => makeRecord({ ongoing: true, durationMs: 1500, ...differences })

test('a long block is posted once, while it is in progress', async (t) => {
  const { notifier, got, received } = await start(t)
  for (const durationMs of [200, 1200, 2200]) notifier.lasting(block({ durationMs }))
  notifier.settled(block({ durationMs: 3000, ongoing: false }))
  notifier.settled(block({ id: '1-2', ongoing: false }))
  await received(2)
  assert.deepEqual(got.map(({ event, block: { id, durationMs } }) => [event, id, durationMs]), [['block', '4242-1', 1200], ['block', '1-2', 1500]])
  assert.match(got[0].text, /^shop on .* \(process 4242\): event loop blocked for 1\.2 s so far: report \(app\/report\.js:41\)/)
  assert.equal(got[0].authorization, `Basic ${Buffer.from('me:secret').toString('base64')}`)
})

test('a short block, one at startup and an allowed one are not notified', async (t) => {
  const { notifier, got, received } = await start(t)
  for (const [i, differences] of [{ durationMs: 999 }, { startup: true }, { allowed: 'migration' }].entries()) notifier.settled(block({ ...differences, id: `1-${i}` }))
  notifier.settled(block({ id: '1-9' }))
  await received(1)
  assert.deepEqual(got.map((each) => each.block.id), ['1-9'])
})

test('a failed notification is retried, a refused one is not, and both are reported', async (t) => {
  const { notifier, states, received, lost } = await start(t, [503, 429, 200, 404])
  notifier.lasting(block({ id: '1-1' }))
  await received(3)
  notifier.lasting(block({ id: '1-2' }))
  await received(4)
  while (lost() === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(states.map((state) => state?.replace(/^.* /, '') ?? null), ['503', '429', null, '404'])
  assert.equal(lost(), 1)
})

test('a minute with many blocks sends a few notifications, and the next one counts the others', async (t) => {
  const { notifier, got, received, lost } = await start(t)
  for (let i = 0; i < PER_MINUTE + 30; i++) notifier.settled(block({ id: `1-${i}` }))
  await received(PER_MINUTE)
  assert.deepEqual([got.length, lost()], [PER_MINUTE, 30])
})

test('Slack gets a text in its form, in which names do not become links', () => {
  const record = block({ frame: { function: '<!channel> & co', file: '/srv/a.js', line: 1, column: 1, exact: true } })
  const message = /** @type {any} */ (messageOf(new URL('https://hooks.slack.com/services/T/B/x'), record, { labels: {}, held: 3 }))
  assert.deepEqual(Object.keys(message), ['text'])
  assert.match(message.text, /&lt;!channel&gt; &amp; co .*3 more blocks were not posted\.$/)
  assert.deepEqual(Object.keys(messageOf(new URL('https://slack.com.evil.example/hook'), record, { labels: {}, held: 0 })), ['event', 'text', 'labels', 'hostname', 'held', 'block'])
})
