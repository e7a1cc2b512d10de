'use strict'

// runtime: internals of Node.js' sockets and of its HTTP client and server
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { listenersOf } = require('../../lib/cli/common/ports')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ON_LINUX = { skip: process.platform !== 'linux' && 'sockets are in /proc' }
const NEEDS = { skip: ON_LINUX.skip || (typeof WebSocket === 'undefined' && 'attach needs Node.js 22') }
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const hasSs = spawnSync('ss', ['--version']).status === 0
/** With `ss`, a row says for how long. */
const QUIET = hasSs ? ', no data for up to \\d+(?:\\.\\d)? m?s' : ''
const last = (/** @type {string} */ text) => hasSs ? `, ${text} last` : ''

/** @param {import('node:test').TestContext} t @param {string[]} modes */
async function startWaiting (t, ...modes) {
  /** @type {net.Socket[]} */
  const accepted = []
  const silent = net.createServer((socket) => accepted.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const { port: peer } = /** @type {net.AddressInfo} */ (silent.address())
  return { ...await startClient(t, peer, ...modes), accepted }
}

/** @param {import('node:test').TestContext} t @param {number} peer its port @param {string[]} modes */
async function startClient (t, peer, ...modes) {
  const app = startNode(t, ['--inspect-port=0', '--expose-gc', 'waiting.js', `${peer}`, ...modes])
  const found = await eventually(() => /^\{.*\}$/m.exec(app.out.stdout), () => app.out.stderr)
  const { port } = JSON.parse(found[0])
  /** Five requests: two get a socket, three wait for one. Another one has a part of its answer. */
  const request = async () => {
    const urls = ['/part', ...Array.from({ length: 5 }, () => '/secret?token=secret')]
    const requests = urls.map((url) => http.get(`http://127.0.0.1:${port}${url}`, { headers: { secret: 'secret' } }).on('error', () => {}))
    t.after(() => { for (const each of requests) each.destroy() })
    await once(requests[0], 'response')
    return requests
  }
  return { ...app, pid: /** @type {number} */ (app.child.pid), peer, port, request }
}

/** @param {import('node:test').TestContext} t @param {number} pid @param {Record<string, string>} [env] */
const look = (t, pid, env) => startNode(t, [CLI, 'attach', `${pid}`, '--once'], { env }).closed

/**
 * Looks again until the output matches: on a busy machine, connections take their time.
 * @param {import('node:test').TestContext} t @param {number} pid @param {RegExp[]} patterns
 */
async function lookFor (t, pid, ...patterns) {
  /** @type {RegExp | undefined} */
  let missing
  /** @type {Awaited<ReturnType<typeof look>> | undefined} */
  let run
  await eventually(async () => {
    run = await look(t, pid)
    const { stdout } = run
    missing = patterns.find((pattern) => !pattern.test(stdout))
    return missing === undefined
  }, () => `${missing}: ${run?.stdout}${run?.stderr}`, 20_000)
  return /** @type {Awaited<ReturnType<typeof look>>} */ (run)
}

/** @param {string} text */
const row = (text) => new RegExp(`^${text}$`, 'm')

test('sockets by peer, unanswered requests and the queue of an agent of an idle process are printed, without a path or value', NEEDS, async (t) => {
  const app = await startWaiting(t)
  await app.request()
  const { stdout, stderr, code } = await lookFor(t, app.pid,
    row(`sockets +6 to 127\\.0\\.0\\.1:${app.peer}${QUIET}${last('6 sent')}`),
    row(`sockets +6 from clients of port ${app.port}${QUIET}${last('5 received')}`),
    row(`requests +5 GET of a client without an answer${QUIET}`),
    row(`requests +1 GET of a client with a part of the answer${QUIET}`),
    row(`requests +2 POST to localhost:${app.peer} without an answer${QUIET}`),
    row(`requests +1 GET to localhost:${app.peer} in the TLS handshake${QUIET}`),
    row(`http\\.Agent +3 waiting for one of 2 sockets to localhost:${app.peer}`),
    /^active .*\d+ TCPSocketWrap.*1 TCPServerWrap/m)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^process \d+ is idle/m)
  assert.doesNotMatch(stdout + stderr, /secret|token|SELECT/)

  const document = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'tools', 'attach.md'), 'utf8')
  const sample = document.split('```').find((block) => block.includes('http.Agent')) ?? ''
  const shapes = (/** @type {string} */ text) => text.split('\n').filter((line) => /^(sockets|requests|http\.Agent) /.test(line))
    .map((line) => line.replace(/(?<= to )\S+?:/, 'host:').replace(/GET|POST/, 'METHOD').replace(/\d[\d.]*( m?s)?/g, '#'))
  const printed = shapes(stdout)
  if (hasSs) assert.deepEqual(shapes(sample).filter((shape) => !printed.includes(shape)), [], 'the sample of the document')
})

test('nothing stays in a process whose requests were read', NEEDS, async (t) => {
  const app = await startWaiting(t)
  await app.request()
  await lookFor(t, app.pid, /without an answer/)
  app.child.kill('SIGUSR2')
  await eventually(() => app.out.stdout.includes('destroyed'), () => app.out.stderr)
  app.child.kill('SIGUSR2')
  const report = await eventually(() => /^\{"runs.*$/m.exec(app.out.stdout), () => app.out.stdout)
  assert.deepEqual(JSON.parse(report[0]), { runs: 0, globals: 0, isKept: false })
  assert.deepEqual(listenersOf(app.pid)?.map(({ port }) => port), [app.port])
  assert.doesNotMatch(app.out.stderr, /Warning/)
})

test('no getter or proxy of the application runs as its requests are read, even if it replaced its process', NEEDS, async (t) => {
  const app = await startWaiting(t, 'replaced')
  await app.request()
  await lookFor(t, app.pid, /^requests +5 GET of a client without an answer/m, /^active .*TCPSocketWrap/m)
  app.child.kill('SIGUSR2')
  await eventually(() => app.out.stdout.includes('destroyed'), () => app.out.stderr)
  app.child.kill('SIGUSR2')
  const report = await eventually(() => /^\{"runs.*$/m.exec(app.out.stdout), () => app.out.stdout)
  assert.equal(JSON.parse(report[0]).runs, 0)
})

test('sockets by peer are printed of a process that handles SIGUSR1 itself, and of one that is stopped', ON_LINUX, async (t) => {
  const app = await startWaiting(t, 'handles')
  const sockets = row(`sockets +\\d to 127\\.0\\.0\\.1:${app.peer}${QUIET}.*`)
  const { code } = await lookFor(t, app.pid, sockets)
  app.child.kill('SIGSTOP')
  const { stderr } = await lookFor(t, app.pid, /^main +stopped/m, sockets)
  assert.match(stderr, /it is stopped/)
  assert.deepEqual([code, app.out.stderr], [1, ''])
})

test('the output for a busy process has no sockets', ON_LINUX, async (t) => {
  const app = await startWaiting(t, 'busy')
  // The loop may begin while the process is looked at.
  await lookFor(t, app.pid, NEEDS.skip ? /^main +running/m : /^process \d+ is$/m, /^(?![^]*\n(?:sockets|requests|http\.Agent|active) )process/)
})

test('sockets of worker threads count', ON_LINUX, async (t) => {
  const app = await startWaiting(t, 'threads')
  await lookFor(t, app.pid, row(`sockets +12 to 127\\.0\\.0\\.1:${app.peer}${QUIET}.*`))
})

test('a connection that the peer has closed, and this process has not, is named', ON_LINUX, async (t) => {
  const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  const app = startNode(t, ['--inspect-port=0', '-e', `require('node:net').connect({ port: ${port}, host: '127.0.0.1', allowHalfOpen: true }); setInterval(() => {}, 1000)`])
  await lookFor(t, /** @type {number} */ (app.child.pid), row(`sockets +1 to 127\\.0\\.0\\.1:${port}${QUIET}, 1 closed by the peer`))
})

test('connections that are not established yet have no time without data', ON_LINUX, async (t) => {
  const server = startNode(t, ['-e', `const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
    console.log(server.address().port)
  })`])
  const peer = Number(await eventually(() => server.out.stdout.trim(), () => server.out.stderr))
  // The kernel accepts two connections for a process that is stopped.
  server.child.kill('SIGSTOP')
  const app = await startClient(t, peer)
  const { stdout } = await lookFor(t, app.pid, row(`sockets +4 to 127\\.0\\.0\\.1:${peer}.*, [12] connecting`),
    ...NEEDS.skip ? [] : [row(`requests +1 GET to localhost:${peer} connecting`)])
  assert.doesNotMatch(stdout, /no data for up to \d{3,}\.\d s/)
})

test('clients of a cluster worker, which does not have the listening socket, are one row', ON_LINUX, async (t) => {
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, `const cluster = require('node:cluster')
    if (cluster.isPrimary) {
      cluster.setupPrimary({ inspectPort: 0 })
      cluster.fork()
    } else {
      const server = require('node:http').createServer(() => {})
      server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ pid: process.pid, port: server.address().port })))
    }`)
  const app = startNode(t, ['--inspect-port=0', file])
  const found = await eventually(() => /^\{.*\}$/m.exec(app.out.stdout), () => app.out.stderr)
  const { pid, port } = JSON.parse(found[0])
  const requests = [1, 2].map(() => http.get(`http://127.0.0.1:${port}`).on('error', () => {}))
  t.after(() => { for (const each of requests) each.destroy() })
  await lookFor(t, pid, row(`sockets +2 from clients of port ${port}${QUIET}${last('2 received')}`))
})

test('DNS lookups that wait are printed with the name', NEEDS, async (t) => {
  const fifo = path.join(makeDir(t), 'fifo')
  spawnSync('mkfifo', [fifo])
  const app = await startWaiting(t, 'lookup', fifo)
  await lookFor(t, app.pid, /^DNS +1 lookup of db\.internal$/m)
})

test('without ss, the rows have no times, and the command says why', NEEDS, async (t) => {
  const app = await startWaiting(t)
  const { stdout, stderr } = await look(t, app.pid, { PATH: '' })
  assert.match(stdout, row(`sockets +\\d to 127\\.0\\.0\\.1:${app.peer}(, \\d connecting)?`))
  assert.match(stderr, /for how long sockets had no data is not known: that needs ss, of the package iproute2/)
})
