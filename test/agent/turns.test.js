'use strict'

// A turn of the loop in which several callbacks run: whose line, whose work, and who is charged for how much.
// runtime: V8 stacks and profiles
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { AGAIN } = require('../support/again')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')

const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, log: false, threshold: 50 })
const http = require('node:http')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const spin = (ms) => { const [end, from] = [Date.now() + ms, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < ms * 500); }
let tidyMs
function tidy () {
  const from = performance.now()
  spin(400)
  tidyMs = performance.now() - from
}
function buildPage () { spin(200) }
const deep = (depth, call) => { depth === 0 ? call() : deep(depth - 1, call) }
const deeper = (depth, call) => { depth === 0 ? call() : deeper(depth - 1, call) }
const server = http.createServer((request, response) => {
  if (request.url === '/page') buildPage()
  if (request.url === '/deep') {
    deep(90, () => spin(300))
    deeper(120, () => buildPage())
  }
  if (request.url === '/lines') {
    for (const end = Date.now() + 150; Date.now() < end;);
    for (const end = Date.now() + 150; Date.now() < end;);
  }
  response.end()
})
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address()
  const ask = (socket, url) => socket.write('GET ' + url + ' HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')
  const sockets = Array.from({ length: 6 }, () => net.connect(port, '127.0.0.1').resume())
  ${AGAIN}
  const told = {}
  await sleep(1000)
  told['/lines'] = await again(() => ask(sockets[0], '/lines'), ({ request, excused }) => request?.route === '/lines' && !excused)
  const deepTurn = () => setTimeout(() => {
    ask(sockets[0], '/deep')
    spin(300)
  }, 10)
  // On a busy machine a beat may come in between, which makes two turns of them.
  told['/deep'] = await again(deepTurn, ({ request, callbacks, excused }) => request?.route === '/deep' && callbacks?.length === 2 && !excused)
  const nightly = agent.wrap('nightly', tidy)
  // The requests come while the job runs, and are read in the same turn.
  const pageTurn = async () => {
    told.before = await agent.metrics()
    setTimeout(() => {
      for (const socket of sockets) ask(socket, '/page')
      nightly()
    }, 10)
  }
  told.turn = await again(pageTurn, ({ durationMs, callbacks, work, excused }) =>
    durationMs > 1500 && callbacks?.length === 2 && work?.name === 'GET /page' && !excused)
  told.metrics = await agent.metrics()
  told.tidyMs = tidyMs
  process.stderr.write(JSON.stringify(told) + '\\n')
  await agent.stop()
  process.exit()
})`

test('a turn of several callbacks', { timeout: 180_000 }, async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const { stderr } = spawnSync(process.execPath, ['app.js'], { cwd: dir, encoding: 'utf8', timeout: 170_000 })
  const told = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const longest = (/** @type {string} */ key) => told[key].filter((/** @type {any} */ { excused }) => !excused)
    .reduce((/** @type {any} */ a, /** @type {any} */ b) => a.durationMs < b.durationMs ? b : a)

  await t.test('an anonymous handler that is sampled in two of its lines is one callback', () => {
    const { callbacks, request } = longest('/lines')
    assert.deepEqual([callbacks, request?.route], [undefined, '/lines'])
  })
  await t.test('a request with a deep stack is one callback', () => {
    const { callbacks, request, stacks } = longest('/deep')
    assert.equal(request?.route, '/deep')
    assert.deepEqual(callbacks?.map((/** @type {any} */ { kind, frame }) => [kind, frame.function]),
      [['request', 'callback of http.createServer'], ['timer', 'callback of setTimeout']], JSON.stringify([stacks, told['/deep'].length]))
  })
  await t.test('line and work are those of six requests, not of the job that is longer than any of them', () => {
    const { work, frame, callbacks, stacks } = longest('turn')
    assert.deepEqual([work?.name, frame.function], ['GET /page', 'spin'], JSON.stringify(stacks))
    assert.ok(stacks[0].frames.some((/** @type {any} */ each) => each.function === 'buildPage'))
    assert.deepEqual(callbacks?.map((/** @type {any} */ each) => [each.kind, each.work]), [['request', 'GET /page'], ['timer', 'nightly']])
  })
  await t.test('the job is charged with its own time, the requests with theirs, and both make the block', () => {
    // On a busy machine one try may make two blocks.
    const durationMs = told.turn.filter((/** @type {any} */ { work }) => work !== null)
      .reduce((/** @type {number} */ sum, /** @type {any} */ block) => sum + block.durationMs, 0)
    const chargedIn = (/** @type {string} */ metrics, /** @type {RegExp} */ labels) => metrics.split('\n')
      .filter((/** @type {string} */ line) => line.startsWith('loopwatch_blocked_seconds_total{') && labels.test(line))
      .reduce((/** @type {number} */ sum, /** @type {string} */ line) => sum + Number(line.split(' ').at(-1)) * 1000, 0)
    const charged = (/** @type {RegExp} */ labels) => chargedIn(told.metrics, labels) - chargedIn(told.before, labels)
    const [page, nightly] = [charged(/route="(?:≈ )?\/page",work="\(none\)"/), charged(/route="\(none\)",work="(?:≈ )?nightly"/)]
    assert.ok(nightly > 0.6 * told.tidyMs && (told.turn.length > 1 || nightly < 2 * told.tidyMs), `${nightly} of ${told.tidyMs}`)
    assert.ok(Math.abs(page + nightly - durationMs) < 0.05 * durationMs, `${page} + ${nightly} of ${durationMs}`)
  })
})
