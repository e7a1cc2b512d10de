'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { PyroscopePush } = require('../../../../lib/export/profiles/pyroscope')
const { eventually } = require('../../../support/app')
const { blocks, decoded, frame, startReceiver } = require('../../../support/lib/profiles')
const { makeRecord } = require('../../../support/record')

test('Pyroscope gets every ended block once, and again what it could not take', async (t) => {
  const { got, port } = await startReceiver(t, [503, 429, 200])
  /** @type {(Error | null)[]} */
  const states = []
  let lost = 0
  const push = new PyroscopePush({
    url: `http://me:se%3Acret@127.0.0.1:${port}/prefix/`,
    labels: { service: 'checkout', env: 'a,b' },
    onState: (error) => states.push(error),
    onLost: (count) => { lost += count },
    periodMs: 20,
    retryMs: 5
  })
  t.after(() => push.stop())
  for (const record of blocks()) push.add(record)
  await eventually(() => states.includes(null), () => `a profile to arrive: ${states}`)
  assert.equal(got.length, 3)
  assert.match(String(states[0]), /127\.0\.0\.1:\d+ answered 503/)
  const { url, authorization, body } = got[2]
  assert.equal(url.pathname, '/prefix/ingest')
  assert.equal(authorization, `Basic ${Buffer.from('me:se:cret').toString('base64')}`)
  assert.match(/** @type {string} */ (url.searchParams.get('name')), /^checkout\{hostname=[^,]+,env=a_b\}$/)
  assert.deepEqual([url.searchParams.get('format'), url.searchParams.get('from'), url.searchParams.get('until')], ['pprof', `${Date.UTC(2026, 10, 21, 10) / 1000}`, `${Date.UTC(2026, 10, 21, 10) / 1000 + 4}`])
  assert.equal(decoded(body).samples[0].labels.route, 'POST /report/:id')
  assert.equal(decoded(body).samples.reduce((sum, { value }) => sum + value[1], 0), 630e6)

  push.add(makeRecord({ id: '1-5' }))
  await eventually(() => got.length === 4, 'the new block')
  assert.equal(decoded(got[3].body).samples.length, 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual([got.length, lost], [4, 0])
})

test('what Pyroscope refuses for good is counted as lost and not sent again', async (t) => {
  const { got, port } = await startReceiver(t, [400])
  let lost = 0
  const push = new PyroscopePush({ url: `http://127.0.0.1:${port}`, labels: {}, onState: () => {}, onLost: (count) => { lost += count }, periodMs: 1e6 })
  for (const record of blocks()) push.add(record)
  await push.push()
  await push.push()
  await push.stop()
  assert.deepEqual([got.length, lost], [1, 1])
})

test('blocks by the thousand between two pushes all arrive; without a server the oldest go and are counted', async (t) => {
  const { got, port } = await startReceiver(t, [200])
  let lost = 0
  const parts = {
    labels: {},
    onState: () => {},
    onLost: (/** @type {number} */ count) => {
      lost += count
    },
    periodMs: 1e6
  }
  const push = new PyroscopePush({ ...parts, url: `http://127.0.0.1:${port}` })
  const [record] = blocks()
  for (let i = 0; i < 5000; i++) push.add(record)
  await push.stop()
  const totalNs = got.flatMap(({ body }) => decoded(body).samples).reduce((sum, { value }) => sum + value[1], 0)
  assert.deepEqual([totalNs, lost], [5000 * record.durationMs * 1e6, 0])
  const alone = new PyroscopePush({ ...parts, url: 'http://127.0.0.1:9' })
  for (let i = 0; i < 50000; i++) alone.add(record)
  await alone.stop()
  assert.equal(lost, 5)
})

test('an end while a push is on its way waits for it, and for what came meanwhile, but not for long', async (t) => {
  /** @type {Buffer[]} */
  const got = []
  /** @type {((status: number) => void)[]} */
  const answers = []
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    got.push(Buffer.concat(chunks))
    answers.push((status) => response.writeHead(status).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const start = () => new PyroscopePush({ url: `http://127.0.0.1:${port}`, labels: {}, onState: () => {}, onLost: () => {}, periodMs: 1e6 })
  const push = start()
  push.add(makeRecord({ id: '1-1' }))
  push.push()
  await eventually(() => answers.length === 1, 'the first push')
  push.add(makeRecord({ id: '1-2', stacks: [{ count: 1, weightMs: 312.4, frames: [frame('last', 1)] }] }))
  let isStopped = false
  const stopped = push.stop().then(() => { isStopped = true })
  // What is on its way fails: it is tried again, once.
  answers[0](503)
  await eventually(() => answers.length === 2, 'the first push again')
  answers[1](200)
  await eventually(() => answers.length === 3, 'the last push')
  assert.equal(isStopped, false)
  answers[2](200)
  await stopped
  assert.deepEqual(decoded(got[2]).samples[0].frames, ['last:1'])

  const unanswered = start()
  unanswered.add(makeRecord())
  unanswered.push()
  await eventually(() => answers.length === 4, 'the push that is not answered')
  const startMs = performance.now()
  await unanswered.stop()
  assert.ok(performance.now() - startMs < 1000)
})
