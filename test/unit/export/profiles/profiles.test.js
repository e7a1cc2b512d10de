'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { gunzipSync } = require('node:zlib')
const pprof = require('pprof-format')
const { collect, formats, profileOf } = require('../../../../lib/export/profiles/profiles')
const { PyroscopePush } = require('../../../../lib/export/profiles/pyroscope')
const { STACKS } = require('../../../../lib/export/profiles/stack-table')
const { eventually } = require('../../../support/app')
const { makeRecord } = require('../../../support/record')

/** @typedef {import('../../../../lib/types').BlockRecord} BlockRecord */

/** @param {string} name @param {number} line */
const frame = (name, line) => ({ function: name, file: '/srv/app/report.js', line, column: 3 })
const handler = frame('handle', 5)
const request = { method: 'GET', route: '/report/:id', startedAt: '2026-11-21T10:00:00.100Z', traceId: null, ended: false }

/** Newest first. @returns {BlockRecord[]} */
const blocks = () => [
  makeRecord({ id: '1-4', startedAt: '2026-11-21T10:00:03.000Z', durationMs: 70, cause: 'starved', request: null, stacks: [{ count: 2, weightMs: 70, frames: [frame('innocent', 1)] }] }),
  makeRecord({ id: '1-3', startedAt: '2026-11-21T10:00:02.000Z', durationMs: 60, cause: 'native', request: { ...request, ended: true }, stacks: [] }),
  makeRecord({ id: '1-2', startedAt: '2026-11-21T10:00:01.000Z', durationMs: 100, request, stacks: [{ count: 4, weightMs: 100, frames: [frame('sort', 30), handler] }] }),
  makeRecord({ id: '1-1', startedAt: '2026-11-21T10:00:00.000Z', durationMs: 400, request: { ...request, method: 'POST' }, stacks: [{ count: 9, weightMs: 300, frames: [frame('sort', 31), handler] }, { count: 3, weightMs: 100, frames: [frame('tail;end', 40), handler] }] })
]

/** @param {Buffer} body */
function decoded (body) {
  const profile = pprof.Profile.decode(gunzipSync(body))
  const { strings } = profile.stringTable
  const text = (/** @type {any} */ index) => strings[Number(index)]
  const nameOf = (/** @type {any} */ id) => {
    const { line: [{ functionId, line }] } = /** @type {any} */ (profile.location.find((location) => location.id === id))
    return `${text(/** @type {any} */ (profile.function.find((func) => func.id === functionId)).name)}:${line}`
  }
  return {
    types: profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    samples: profile.sample.map(({ locationId, value, label }) => ({
      frames: locationId.map(nameOf), value: value.map(Number), labels: Object.fromEntries(label.map(({ key, str }) => [text(key), text(str)]))
    }))
  }
}

/** The self time of every function as DevTools counts it: a sample lasts until the next one. @param {string} text */
function selfMs (text) {
  const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(text)
  assert.equal(samples.length, timeDeltas.length)
  assert.equal(timeDeltas.reduce((/** @type {number} */ sum, /** @type {number} */ delta) => sum + delta, startTime), endTime)
  /** @type {Record<string, number>} */
  const self = {}
  for (const [i, id] of samples.slice(0, -1).entries()) {
    const { callFrame } = nodes.find((/** @type {any} */ node) => node.id === id)
    const key = `${callFrame.functionName}:${callFrame.lineNumber + 1}`
    self[key] = (self[key] ?? 0) + timeDeltas[i + 1] / 1000
  }
  return self
}

test('folded: outermost first, whole milliseconds, blocks without a culprit charged to no line', async () => {
  const text = formats.folded.write(await collect(blocks()), '')
  assert.deepEqual(String(text).trim().split('\n'), [
    'handle (/srv/app/report.js:5);sort (/srv/app/report.js:31) 300',
    'handle (/srv/app/report.js:5);sort (/srv/app/report.js:30) 100',
    'handle (/srv/app/report.js:5);tail:end (/srv/app/report.js:40) 100',
    '(starved) 70',
    '(not sampled) 60'
  ])
})

test('cpuprofile: every millisecond of blocked time is the self time of one function', async () => {
  const text = String(formats.cpuprofile.write(await collect(blocks()), ''))
  assert.deepEqual(selfMs(text), { 'sort:31': 300, 'tail;end:40': 100, 'sort:30': 100, '(not sampled):0': 60, '(starved):0': 70 })
  const { nodes } = JSON.parse(text)
  const ids = new Set(nodes.map((/** @type {any} */ { id }) => id))
  for (const { children } of nodes) assert.ok(children.every((/** @type {number} */ id) => ids.has(id)))
  assert.equal(nodes.find((/** @type {any} */ { callFrame }) => callFrame.functionName === 'handle').callFrame.url, 'file:///srv/app/report.js')
})

test('pprof: samples and blocked time, labelled by route and cause', async () => {
  const { types, samples } = decoded(/** @type {Buffer} */ (formats.pprof.write(await collect(blocks()), '')))
  assert.deepEqual(types, ['captured/count', 'blocked/nanoseconds'])
  assert.deepEqual(samples[0], { frames: ['sort:31', 'handle:5'], value: [9, 300e6], labels: { route: 'POST /report/:id', cause: 'js', thread: 'main' } })
  assert.deepEqual(samples.at(-1), { frames: ['(not sampled):0'], value: [0, 60e6], labels: { route: '(none)', cause: 'native', thread: 'main' } })
})

test('speedscope: everything, and a profile for each cause and route', async () => {
  const { shared, profiles } = JSON.parse(String(formats.speedscope.write(await collect(blocks()), 'x')))
  assert.deepEqual(profiles.map((/** @type {any} */ { name, endValue }) => [name, endValue]), [
    ['all', 630], ['js, POST /report/:id', 400], ['js, GET /report/:id', 100], ['starved, (none)', 70], ['native, (none)', 60]
  ])
  for (const { samples, weights } of profiles) {
    assert.equal(samples.length, weights.length)
    assert.ok(samples.flat().every((/** @type {number} */ id) => shared.frames[id] !== undefined))
  }
})

test('what is asked for can be split and narrowed, and a wrong question says what is right', async () => {
  const ask = async (/** @type {string} */ query, records = blocks()) => {
    const { status, body } = await profileOf(records, new URLSearchParams(query))
    return { status, body: String(body) }
  }
  const split = await ask('format=folded&group=cause,route')
  assert.match(split.body, /^cause: js;route: POST \/report\/:id;handle .* 300$/m)
  assert.match(split.body, /^cause: starved;route: \(none\);\(starved\) 70$/m)
  assert.deepEqual((await ask('format=folded&cause=native')).body, '(not sampled) 60\n')
  assert.equal((await ask('format=folded&route=/none')).body, '')
  const recent = [makeRecord({ startedAt: new Date().toISOString() }), ...blocks()]
  assert.match((await ask('format=folded&seconds=3600', recent)).body, /^report .*;test 312\n$/)
  for (const query of ['format=svg', 'format=toString', 'seconds=0', 'seconds=x', 'group=host', 'group=route,route']) assert.equal((await ask(query)).status, 400, query)
  assert.match((await ask('format=svg')).body, /cpuprofile, pprof, speedscope, folded/)
})

test('a route is asked for as metrics or profiles name it, and no route as both do', async () => {
  const totalMs = async (/** @type {string} */ route) => {
    const { body } = await profileOf(blocks(), new URLSearchParams({ format: 'folded', route }))
    return String(body).split('\n').reduce((sum, line) => sum + Number(/\d*$/.exec(line)), 0)
  }
  assert.equal(await totalMs('/report/:id'), 500, 'without the block after an answer, which is nobody\'s')
  assert.equal(await totalMs('GET /report/:id'), 100)
  assert.equal(await totalMs('POST /report/:id'), 400)
  assert.equal(await totalMs('(none)'), 130)
  assert.equal(await totalMs('report'), 0)
})

test('stacks beyond the bound keep their time', async () => {
  const records = Array.from({ length: STACKS + 500 }, (_, i) => makeRecord({ id: `1-${i}`, durationMs: 10, stacks: [{ count: 1, weightMs: 10, frames: [frame(`f${i}`, 1)] }] }))
  const table = await collect(records)
  assert.ok(table.stacks.length <= STACKS + 1)
  assert.equal(Math.round(table.stacks.reduce((sum, { weightMs }) => sum + weightMs, 0)), records.length * 10)
  assert.equal(selfMs(String(formats.cpuprofile.write(table, '')))['(other):0'], 5000)
})

/** A Pyroscope that keeps what it is sent. @param {import('node:test').TestContext} t @param {number[]} answers statuses, the last one for good */
async function startReceiver (t, answers) {
  /** @type {{ url: URL, authorization: string | undefined, body: Buffer }[]} */
  const got = []
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    got.push({ url: new URL(/** @type {string} */ (request.url), 'http://x'), authorization: request.headers.authorization, body: Buffer.concat(chunks) })
    response.statusCode = answers.length > 1 ? /** @type {number} */ (answers.shift()) : answers[0]
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { got, port: /** @type {any} */ (server.address()).port }
}

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
  const parts = { labels: {}, onState: () => {}, onLost: (/** @type {number} */ count) => { lost += count }, periodMs: 1e6 }
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
