'use strict'

// Who requests wait for while nothing blocks. The cases were written before any result was looked at: the peer that is
// named is right or in doubt, never wrong for certain.
// runtime: diagnostics channels, AsyncLocalStorage
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
/** After this long a route's usual duration is known. */
const WARM_MS = 11_000
/** Before Node.js 22, a request of node:http is published only when it has a socket, outside of its caller. */
const HAS_CREATED = Number.parseInt(process.versions.node, 10) >= 22
/** Where following is expensive, requests are followed from the first block on. */
const OPTIONS = JSON.stringify({ requests: 'on' })

/** @param {net.Server} server @param {import('node:test').TestContext} t */
async function portOf (server, t) {
  t.after(() => server.close())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)))
  return /** @type {net.AddressInfo} */ (server.address()).port
}

/** Longest wait for a line of the log, on a machine that is busy with much else. */
const LINE_MS = 60_000

/**
 * Runs a story of waiting-app.js: quick requests, then slow ones until the log says so, then quick ones again.
 * @param {import('node:test').TestContext} t @param {string} story
 * @param {{ isCold?: boolean, goesOn?: boolean, count?: number, silentMs?: number, ends?: boolean, paths?: string[],
 * env?: Record<string, string>, meanwhile?: (app: { send: (message: string) => void }) => void }} [how] silentMs: for
 * how long no line is expected; ends: whether the slow requests end with the peer
 */
async function tell (t, story, how = {}) {
  const { isCold, goesOn, count = 12, silentMs, ends = false, paths = ['/orders'], env = {} } = how
  /** @type {Set<http.ServerResponse>} */
  const held = new Set()
  const peerServer = http.createServer(({ url = '' }, response) => {
    if (url.startsWith('/never')) held.add(response)
    else setTimeout(() => response.end('ok'), Number(/ms=(\d+)/.exec(url)?.[1] ?? 5))
  })
  t.after(() => peerServer.closeAllConnections())
  const peer = await portOf(peerServer, t)
  /** @type {Set<net.Socket>} */
  const sockets = new Set()
  const silent = await portOf(net.createServer((socket) => sockets.add(socket.on('error', () => {}))), t)
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  const { child, out, closed } = startNode(t, ['waiting-app.js', story], {
    env: { OPTIONS, PEER_PORT: `${peer}`, SILENT_PORT: `${silent}`, ...env }, stdio: ['pipe', 'pipe', 'pipe', 'ipc']
  })
  const port = await new Promise((resolve) => child.once('message', (/** @type {any} */ message) => resolve(message.port)))
  const agent = new http.Agent({ maxSockets: Infinity })
  t.after(() => agent.destroy())
  const ask = (/** @type {string} */ route) => new Promise((resolve) =>
    http.get({ port, host: '127.0.0.1', path: route, agent }, (response) => response.resume().once('close', resolve)).once('error', resolve))
  const send = (/** @type {string} */ message) => child.send(message)
  const logged = (/** @type {RegExp} */ line) => eventually(() => line.test(out.stdout), () => `${line}: ${out.stdout}`, LINE_MS)
  if (!isCold) {
    for (const end = Date.now() + WARM_MS; Date.now() < end; await sleep(200)) await Promise.all(paths.map(ask))
  }
  send('slow')
  how.meanwhile?.({ send })
  for (let i = 0; i < count; i++) for (const route of paths) ask(route)
  const again = goesOn ? setInterval(() => paths.map(ask), 300) : undefined
  t.after(() => clearInterval(again))
  await (silentMs === undefined ? logged(/"event":"(?:waiting|pool_full)"/) : sleep(silentMs))
  clearInterval(again)
  send('quick')
  for (const response of held) response.end('late')
  if (ends) await logged(/"event":"waiting_over"/)
  send('end')
  const { stdout, stderr } = await closed
  const lines = stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
  const incidents = lines.filter(({ event }) => /^(?:waiting|pool|busy)/.test(event))
  return { lines, incidents, text: JSON.stringify(incidents), metrics: stderr, peer, silent }
}

/** @param {string} metrics @param {string} peer */
const countOf = (metrics, peer) => Number(metrics.split('\n').find((line) => line.startsWith(`loopwatch_wait_seconds_count{peer="${peer}"`))?.split(' ').pop())

describe('requests that wait', { concurrency: 32 }, () => {
  test('a peer that no longer answers is named with the route, the line and the longest wait, and so is the end', async (t) => {
    const { incidents, text, metrics, peer } = await tell(t, 'http', { ends: true })
    assert.deepEqual(incidents.map(({ event }) => event), ['waiting', 'waiting_over'], text)
    const [begin, end] = incidents
    assert.equal(begin.msg.replace(/\d+\.\d s/, 'N s'), `12 requests are waiting for GET 127.0.0.1:${peer} (longest N s), GET /orders`, text)
    assert.deepEqual([begin.kind, begin.peer, begin.exact, begin.waiting, begin.routes], ['waiting', `GET 127.0.0.1:${peer}`, true, 12, ['GET /orders']])
    assert.match(end.msg, /^up to \d+ requests at a time waited for GET 127\.0\.0\.1:\d+ for \d+\.\d s \(longest \d+\.\d s\), GET \/orders$/)
    assert.ok(countOf(metrics, `GET 127.0.0.1:${peer}`) > 12, metrics)
    assert.match(metrics, /^loopwatch_slow_incidents_total\{kind="waiting"\} 1$/m)
    assert.match(begin.advice, /timeout/)
  })

  test('a pool of two with fifty waiters is named with how many connections are in use', async (t) => {
    const { incidents, text } = await tell(t, 'pool', { count: 50 })
    assert.deepEqual(incidents[0]?.event, 'waiting', text)
    const [{ msg, exact, inUse, limit, peer }] = incidents
    assert.match(msg, /^\d+ requests are waiting for a connection of the mysql2 pool to db:3306 \(2 of 2 in use, longest \d+\.\d s\), GET \/orders$/)
    assert.deepEqual([peer, exact, inUse, limit], ['mysql2 pool to db:3306', true, 2, 2])
  })

  for (const [story, name] of [['pool', 'getConnection'], ['http', 'callback of new Promise'], ['fetch', 'fetchText']]) {
    test(`the line of the application is named if calls begin during an incident (${story})`, { skip: story === 'http' && !HAS_CREATED }, async (t) => {
      const { incidents, text } = await tell(t, story, { goesOn: true })
      assert.equal(incidents[0]?.frame?.function, name, text)
      assert.match(incidents[0].msg, new RegExp(`, from ${name} \\(\\S*waiting-app\\.js:\\d+\\)$`), text)
    })
  }

  test('a peer that never answered, through fetch, is named in doubt', async (t) => {
    const { incidents, text, peer } = await tell(t, 'fetch', { isCold: true, ends: true })
    assert.deepEqual(incidents.map(({ event }) => event), ['waiting', 'waiting_over'], text)
    assert.equal(incidents[0].exact, false, text)
    assert.match(incidents[0].msg, new RegExp(`^12 requests are waiting, probably for GET 127\\.0\\.0\\.1:${peer} `), text)
  })

  test('a promise that nobody settles is something that publishes nothing', async (t) => {
    const { incidents, text } = await tell(t, 'promise')
    assert.equal(incidents[0]?.peer, null, text)
    assert.match(incidents[0].msg, /^12 requests are waiting for something that publishes nothing \(longest \d+\.\d s\), GET \/orders/)
  })

  for (const story of ['background', 'beside', 'unknown']) {
    test(`a call that nobody waits for is not named for certain (${story})`, async (t) => {
      const { incidents, text } = await tell(t, story)
      assert.equal(incidents[0]?.event, 'waiting', text)
      assert.ok(incidents.every(({ exact }) => exact !== true), text)
    })
  }

  test('only the route that waits is named, although another one calls the same peer', async (t) => {
    const { incidents, text, peer } = await tell(t, 'route', { paths: ['/orders', '/quick'] })
    assert.equal(incidents[0]?.peer, `GET 127.0.0.1:${peer}`, text)
    assert.deepEqual(incidents[0].routes, ['GET /orders'], text)
  })

  test('a proxy that accepts and says nothing is named, before TLS and after', async (t) => {
    const [tls, plain] = await Promise.all(['tls', 'silent'].map((story) => tell(t, story)))
    assert.equal(tls.incidents[0]?.peer, `GET 127.0.0.1:${tls.silent}`, tls.text)
    assert.match(tls.incidents[0].msg, /; open: sockets in a TLS handshake with 127\.0\.0\.1:\d+: 12$/)
    assert.equal(plain.incidents[0]?.peer, `GET 127.0.0.1:${plain.silent}`, plain.text)
  })

  test('a name that resolves slowly is answered by the lookups', { skip: process.platform !== 'linux' }, async (t) => {
    const library = path.join(makeDir(t), 'slow-dns.so')
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, path.join(ROOT, 'test', 'fixtures', 'slow-dns.c'), '-ldl'])
    const { incidents, text } = await tell(t, 'dns', { env: { LD_PRELOAD: library } })
    assert.ok(incidents.length > 0, text)
    for (const { event, kind, peer } of incidents) {
      if (/^pool/.test(event)) assert.equal(kind, 'dns_lookups', text)
      else assert.equal(peer, 'GET name.slow:80', text)
    }
  })

  test('requests that wait for a socket of an agent wait for a connection, of which the line says how many are in use', { skip: !HAS_CREATED }, async (t) => {
    const { incidents, text, peer } = await tell(t, 'agent')
    assert.match(incidents[0]?.msg ?? text, new RegExp(`^12 requests are waiting for a connection for GET 127\\.0\\.0\\.1:${peer} \\(2 of 2 in use, longest `), text)
  })

  test('under blocks, the blocks are the answer', async (t) => {
    const { incidents, lines, text } = await tell(t, 'http', { silentMs: 8000, meanwhile: ({ send }) => send('block') })
    assert.ok(lines.filter(({ msg }) => /was blocked for/.test(msg)).length > 5, JSON.stringify(lines))
    assert.deepEqual(incidents.filter(({ event }) => /^waiting/.test(event)), [], text)
  })

  test('a stream that stays open waits for nothing', async (t) => {
    const { incidents, text } = await tell(t, 'stream', { isCold: true, silentMs: 14_000 })
    assert.deepEqual(incidents, [], text)
  })

  test('the option waits switches it off', async (t) => {
    const { incidents, text, metrics } = await tell(t, 'http', { silentMs: 8000, env: { OPTIONS: JSON.stringify({ requests: 'on', waits: 'off' }) } })
    assert.deepEqual(incidents, [], text)
    assert.doesNotMatch(metrics, /^loopwatch_wait_seconds_count\{/m)
  })

  test('a quick service has no incident', async (t) => {
    const { incidents, text } = await tell(t, 'route', { paths: ['/quick', '/other'], count: 1, silentMs: 8000 })
    assert.deepEqual(incidents, [], text)
  })
})
