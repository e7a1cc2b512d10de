'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { gunzipSync } = require('node:zlib')
const pprof = require('pprof-format')
const { collect, formats } = require('../../lib/export/profiles/profiles')
const { startApp, startNode, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { makeRecord } = require('../support/record')
const { needs } = require('../support/tools')

/** @typedef {import('../../lib/types').BlockRecord} BlockRecord */

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

test('pprof: `go tool pprof -top` reads the same times', async (t) => {
  if (!needs(t, 'go')) return
  const file = path.join(makeDir(t), 'blocks.pb.gz')
  fs.writeFileSync(file, formats.pprof.write(await collect(blocks()), ''))
  const top = (/** @type {string[]} */ ...flags) => {
    const { stdout, stderr, status } = spawnSync('go', ['tool', 'pprof', '-top', '-nodecount=20', ...flags, file], { encoding: 'utf8', timeout: 60000 })
    assert.equal(status, 0, stderr)
    return stdout
  }
  const all = top('-functions')
  assert.match(all, /Type: blocked/)
  assert.match(all, /Total samples = 630ms/)
  assert.match(all, /^\s+400ms\s+63\.49%\s+63\.49%\s+400ms\s+63\.49%\s+sort$/m)
  assert.match(top('-lines'), /^\s+300ms .* sort \/srv\/app\/report\.js:31$/m)
  assert.match(top('-tagfocus=route=GET /report/:id'), /100ms, 15\.87% of 630ms total/)
})

test('the endpoint serves the block that lasts, and each block as a file', async (t) => {
  // Without a profile of V8's own its file is made of the stacks.
  const app = await startApp(t, { options: { profile: 'off' } })
  const answered = app.get('/spin?ms=1500')
  const folded = await eventually(async () => {
    const text = await (await app.watchdog('/profile?format=folded')).text()
    return /spin/.test(text) && text
  }, 'the block in progress in the profile')
  assert.match(folded, /blocks\.js:\d+\) \d+$/m)
  await answered
  const record = await eventually(async () => /** @type {any} */ (await (await app.watchdog('/blocks')).json()).find((/** @type {any} */ { ongoing, durationMs }) => !ongoing && durationMs > 1000), 'the record')
  for (const { ending, type } of Object.values(formats)) {
    const response = await app.watchdog(`/blocks/${record.id}.${ending}`)
    assert.equal(response.status, 200, ending)
    assert.equal(response.headers.get('content-type'), type)
    assert.match(/** @type {string} */ (response.headers.get('content-disposition')), new RegExp(`filename="loopwatch-${record.id}\\.${ending}"$`))
  }
  const self = selfMs(await (await app.watchdog(`/blocks/${record.id}.cpuprofile`)).text())
  const totalMs = Object.values(self).reduce((sum, ms) => sum + ms, 0)
  assert.ok(Math.abs(totalMs - record.durationMs) <= 2, `${totalMs} of ${record.durationMs} ms`)
  assert.equal((await app.watchdog('/blocks/1-999.cpuprofile')).status, 404)
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

test('an agent that stops has pushed all blocks, also those that memory has lost, and one without a server ends in time', async (t) => {
  const { got, port } = await startReceiver(t, [200])
  const script = (/** @type {number} */ at) => `const agent = require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: false, log: false, keep: 1, pyroscope: 'http://127.0.0.1:${at}' })
    function culprit () { const end = Date.now() + 150; while (Date.now() < end); }
    agent.ready.then(() => setTimeout(() => { culprit(); setTimeout(() => { culprit(); setTimeout(() => agent.stop(), 200) }, 100) }, 100))`
  const { code, stderr } = await startNode(t, ['-e', script(port)]).closed
  assert.deepEqual([code, stderr], [0, ''])
  // By their time: on a busy machine one may be judged starved, and blamed on no line.
  const blockedMs = got.flatMap(({ body }) => decoded(body).samples).reduce((sum, { value }) => sum + value[1] / 1e6, 0)
  assert.ok(blockedMs >= 290, `${blockedMs} ms`)
  const alone = await startNode(t, ['-e', script(9)]).closed
  assert.deepEqual([alone.code, alone.stderr], [0, ''])
})
