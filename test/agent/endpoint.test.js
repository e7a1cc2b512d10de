'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const { startApp, eventually } = require('../support/app')
const { raw } = require('../support/raw')

/**
 * @param {string} url
 * @param {http.RequestOptions} options
 * @returns {Promise<{ status: number | undefined, headers: http.IncomingHttpHeaders, body: string }>}
 */
async function request (url, options) {
  const [response] = await once(http.request(url, options).end(), 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, headers: response.headers, body }
}

test('the endpoint', async (t) => {
  const app = await startApp(t, { options: { token: 'secret', allowHosts: ['metrics.example.com'] } })
  const authorization = 'Bearer secret'

  await t.test('asks for the token everywhere but at /healthz', async () => {
    for (const path of ['/', '/metrics', '/blocks', '/blocks/1-1']) {
      assert.equal((await app.watchdog(path)).status, 401, path)
      assert.equal((await app.watchdog(path, { headers: { authorization: 'Bearer wrong' } })).status, 401, path)
      assert.notEqual((await app.watchdog(path, { headers: { authorization } })).status, 401, path)
    }
    assert.equal((await app.watchdog('/healthz')).status, 200)
  })

  await t.test('answers only to Host names that cannot be rebound', async () => {
    for (const [host, status] of /** @type {[string, number][]} */ ([['evil.example.com', 403], ['metrics.example.com', 200], ['METRICS.EXAMPLE.COM:9464', 200], ['localhost:1', 200], ['[::1]:9464', 200], ['app:9464', 200]])) {
      assert.equal((await request(`${app.url}/healthz`, { headers: { host } })).status, status, host)
    }
  })

  await t.test('takes GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await request(`${app.url}/metrics`, { method, headers: { authorization } })
      assert.equal(status, 405, method)
      assert.equal(headers.allow, 'GET, HEAD')
    }
    const head = await request(`${app.url}/healthz`, { method: 'HEAD' })
    assert.deepEqual({ status: head.status, body: head.body }, { status: 200, body: '' })
    assert.ok(Number(head.headers['content-length']) > 0)
  })

  await t.test('/healthz accepts OPTIONS, the default method of HAProxy', async () => {
    assert.match(await raw(app.url, 'OPTIONS /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 OK\r\n[^]*"status":"ok"/)
    assert.equal((await request(`${app.url}/healthz?ms=x`, { method: 'OPTIONS' })).status, 400)
    assert.equal((await request(`${app.url}/healthz`, { method: 'OPTIONS', headers: { host: 'evil.example.com' } })).status, 403)
    assert.deepEqual((await request(`${app.url}/healthz`, { method: 'POST' })).headers.allow, 'GET, HEAD, OPTIONS')
    assert.equal((await request(app.url, { method: 'OPTIONS' })).status, 405)
  })

  await t.test('knows no other paths', async () => {
    for (const path of ['/metricsx', '/blocks/1/2', '//', '/../etc/passwd', '/blocks/..%2f..%2fetc%2fpasswd', '/constructor', '/__proto__', '/toString', '/%00']) {
      assert.equal((await request(app.url, { path, headers: { authorization } })).status, 404, path)
    }
  })

  await t.test('speaks Prometheus text, and OpenMetrics when asked', async () => {
    const text = await app.watchdog('/metrics', { headers: { authorization } })
    assert.match(text.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const open = await app.watchdog('/metrics', { headers: { authorization, accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' } })
    assert.match(open.headers.get('content-type') ?? '', /^application\/openmetrics-text/)
    assert.match(await open.text(), /# EOF\n$/)
  })

  await t.test('speaks that of the two which is wanted more, and none that is refused', async () => {
    for (const [accept, isOpen] of /** @type {[string, boolean][]} */ ([
      ['application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2', true],
      ['text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.2', false],
      ['application/openmetrics-text;q=0', false],
      ['application/openmetrics-text; Q=0.0, */*', false],
      ['Application/OpenMetrics-Text', true],
      ['text/plain, application/openmetrics-text', true],
      ['application/openmetrics-textual', false],
      ['application/openmetrics-text;q=0.1, text/*', false],
      ['application/openmetrics-text;q=0.1, */*', false],
      ['application/openmetrics-text;q=0.5, text/*;q=0.4, */*;q=0.9', true],
      ['application/openmetrics-text;q=0.5, text/plain;q=0.4, text/*', true],
      ['application/openmetrics-text, */*', true],
      ['*/*', false]
    ])) {
      const { headers } = await app.watchdog('/metrics', { headers: { authorization, accept } })
      assert.match(headers.get('content-type') ?? '', isOpen ? /^application\/openmetrics-text/ : /^text\/plain/, accept)
    }
  })

  await t.test('survives malformed requests and huge headers', async () => {
    assert.match(await raw(app.url, 'nonsense\r\n\r\n'), /^HTTP\/1.1 400/)
    assert.match(await raw(app.url, 'GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nabc'), /^HTTP\/1.1 400/)
    assert.match(await raw(app.url, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100000)}\r\n\r\n`), /^HTTP\/1.1 431|^$/)
    assert.equal(await raw(app.url, '\x16\x03\x01\x00\xa5'), await raw(app.url, '\x16\x03\x01\x00\xa5'))
    assert.equal((await app.watchdog('/healthz')).status, 200)
  })

  await t.test('answers despite 1,000 idle connections, and keeps at most 100 of them', async () => {
    const { port, hostname } = new URL(app.url)
    let open = 0
    const sockets = Array.from({ length: 1000 }, () => {
      const socket = net.connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.on('connect', () => open++)
      socket.on('close', () => open--)
      return socket
    })
    await eventually(() => sockets.every((socket) => !socket.connecting), '1,000 connections made')
    assert.equal((await app.watchdog('/healthz')).status, 200)
    await eventually(() => open <= 100, () => `at most 100 kept, ${open} are`)
    for (const socket of sockets) socket.destroy()
  })

  await t.test('keeps query strings and bodies of the application to itself', async () => {
    await (await fetch(`http://127.0.0.1:${app.port}/spin/12345?password=hunter2&ms=150`, { headers: { cookie: 'session=hunter2' } })).text()
    await app.line(({ event, request }) => event === 'settled' && request?.route === '/spin/:id', 'the block')
    const everything = app.out.stdout + await (await app.watchdog('/blocks', { headers: { authorization } })).text() +
      await (await app.watchdog('/metrics', { headers: { authorization } })).text()
    assert.ok(!everything.includes('hunter2'))
    assert.match(everything, /blocked_seconds_total\{cause="[a-z-]+",route="\/spin\/:id",work="\(none\)"\}/)
  })
})

test('a host that can be none costs the endpoint, not the watching', async (t) => {
  const app = await startApp(t, { options: { host: 'local\0host' } })
  await app.get('/atomicsWait?ms=200')
  await app.line(({ event }) => event === 'settled', 'the block')
  await app.line(({ event, reason }) => event === 'degraded' && reason === 'endpoint', 'what does not work')
})

test('/healthz refuses an ms that is not a finite number, so no probe overlooks every block', async (t) => {
  const app = await startApp(t)
  app.get('/forever').catch(() => {}) // answered by nobody
  await eventually(async () => (await app.watchdog('/healthz')).status === 503, 'the block')
  for (const ms of ['1e309', 'Infinity', '9'.repeat(310), 'NaN', '-1', 'x', '', '%20']) {
    const answer = await app.watchdog(`/healthz?ms=${ms}`)
    assert.deepEqual([answer.status, await answer.json()], [400, { error: 'ms takes a number of at least 0' }], ms)
  }
  assert.equal((await app.watchdog('/healthz?ms=1e300')).status, 200)
})

test('an endpoint that is open to the network without a token is a warning', async (t) => {
  const open = await startApp(t, { options: { host: '0.0.0.0' } })
  const { level, msg } = await open.line(({ event }) => event === 'exposed', 'the warning')
  assert.equal(level, 40)
  assert.match(msg, /anyone who reaches .* stacks, .* option `token` \(LOOPWATCH_TOKEN\)/)
  for (const options of [{ host: '0.0.0.0', token: 'a'.repeat(20) }, { host: '127.0.0.1' }]) {
    const app = await startApp(t, { options })
    await app.line(({ event }) => event === 'listening', 'the address')
    await app.get('/atomicsWait?ms=200')
    await app.line(({ event }) => event === 'settled', 'a later line')
    assert.equal(app.lines().filter(({ event }) => event === 'exposed').length, 0, JSON.stringify(options))
  }
})

test('port: false opens no port', async (t) => {
  const app = await startApp(t, { options: { port: false } })
  assert.equal(app.url, null)
  assert.ok(!app.lines().some(({ event }) => event === 'listening'))
})

test('requests: "off" watches blocks without naming requests', async (t) => {
  const app = await startApp(t, { options: { requests: 'off' } })
  // On a busy machine the first may have no frame.
  const settled = await eventually(async () => {
    await app.get('/atomicsWait?ms=200')
    return app.lines().find(({ event, frame }) => event === 'settled' && frame?.function === 'atomicsWait')
  }, 'the block')
  assert.equal(settled.request, null)
})

test('asking for the list of blocks tells no open page of them: reading writes nothing', async (t) => {
  const app = await startApp(t)
  const [page] = await once(http.get(`${app.url}/events`), 'response')
  t.after(() => page.destroy())
  let said = ''
  page.setEncoding('utf8').on('data', (/** @type {string} */ text) => { said += text })
  const told = () => said.split('event: blocks\n').length - 1
  app.get('/forever').catch(() => {}) // answered by nobody
  await eventually(() => told() > 0, () => `the page to be told of the block: ${said}`)
  const before = told()
  const fromMs = performance.now()
  const durations = new Set()
  while (performance.now() - fromMs < 2000) {
    const [block] = /** @type {any} */ (await (await app.watchdog('/blocks')).json())
    durations.add(block.durationMs)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.ok(durations.size > 5, `the list has the block as it is now: ${[...durations]}`)
  // Once a second it is told that the block lasts.
  const most = (performance.now() - fromMs) / 1000 + 2
  assert.ok(told() - before <= most, `${told() - before} times in ${durations.size} readings, at most ${most}`)
})
