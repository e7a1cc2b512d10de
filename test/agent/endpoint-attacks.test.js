'use strict'

// What comes over the network from people who do not wish us well.
// runtime: Node.js's HTTP parser
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fc = require('fast-check')
const { startApp } = require('../support/app')
const { connect, raw, statusesOf } = require('../support/raw')

/** The same cases each time; for a hunt of one's own, TEST_SEED=$RANDOM TEST_RUNS=100000. */
const fuzz = { seed: Number(process.env.TEST_SEED ?? 9464), numRuns: Number(process.env.TEST_RUNS ?? 400) }
const HOST = 'Host: localhost\r\n'

test('the endpoint of a process', async (t) => {
  const app = await startApp(t, { options: { labels: { service: 'attacked' } } })
  await app.get('/spin?ms=150')
  await app.line(({ event, frame }) => event === 'settled' && frame?.function === 'spin', 'a block')

  await t.test('refuses requests that two parsers could read as different ones', async () => {
    const smuggled = `GET /metrics HTTP/1.1\r\n${HOST}\r\n`
    const cases = {
      'length and chunks': `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'chunks and length': `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
      'two lengths': `Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      'a list of lengths': `Content-Length: 0, ${smuggled.length}\r\n\r\n${smuggled}`,
      'a signed length': `Content-Length: +${smuggled.length}\r\n\r\n${smuggled}`,
      'a hex length': `Content-Length: 0x10\r\n\r\n${smuggled}`,
      'a negative length': `Content-Length: -1\r\n\r\n${smuggled}`,
      'a length beyond 64 bits': `Content-Length: 18446744073709551617\r\n\r\n${smuggled}`,
      'an unknown encoding': `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'chunks that are not last': `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
      'a space before the colon': `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'a folded header': `X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'a chunk beyond 64 bits': `Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n${smuggled}`,
      'a chunk size that is none': `Transfer-Encoding: chunked\r\n\r\n+5\r\nabcde\r\n0\r\n\r\n${smuggled}`,
      'a carriage return within a header': `X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'a NUL within a header': `X: a\0b\r\n\r\n${smuggled}`
    }
    for (const [name, rest] of Object.entries(cases)) {
      const answer = await raw(app.url, `GET /nothing HTTP/1.1\r\n${HOST}${rest}`)
      assert.ok(!answer.includes('loopwatch_build_info'), `${name}: ${answer}`)
      assert.ok(statusesOf(answer).includes(400), `${name}: ${answer}`)
    }
  })

  await t.test('takes a body for a body, whatever is in it', async () => {
    const smuggled = `GET /metrics HTTP/1.1\r\n${HOST}\r\n`
    for (const body of [`Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`, `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`]) {
      assert.deepEqual(statusesOf(await raw(app.url, `GET /nothing HTTP/1.1\r\n${HOST}${body}`)), [404])
    }
  })

  await t.test('answers to one Host, which no other header, method or form of address replaces', async () => {
    const cases = {
      'two hosts': [`GET /metrics HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`, 403],
      'the same, turned': [`GET /metrics HTTP/1.1\r\nHost: evil.example\r\n${HOST}\r\n`, 403],
      'a forwarded host': ['GET /metrics HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n', 403],
      'an origin': ['GET /metrics HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://localhost\r\n\r\n', 403],
      'an absolute address': [`GET http://evil.example/metrics HTTP/1.1\r\n${HOST}\r\n`, 403],
      'an absolute address under another host': ['GET http://localhost/metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n', 403],
      'an absolute address with a user': [`GET http://localhost@evil.example/metrics HTTP/1.1\r\n${HOST}\r\n`, 403],
      'an absolute address with a user in front': [`GET http://evil.example@localhost/metrics HTTP/1.1\r\n${HOST}\r\n`, 403],
      'an absolute address of no host': [`GET http:///metrics HTTP/1.1\r\n${HOST}\r\n`, 403],
      'an absolute address in HTTP/1.0': ['GET http://evil.example/metrics HTTP/1.0\r\n\r\n', 403],
      'a host in HTTP/1.0': ['GET /metrics HTTP/1.0\r\nHost: evil.example\r\n\r\n', 403],
      'an empty host in HTTP/1.0': ['GET /metrics HTTP/1.0\r\nHost:\r\n\r\n', 403],
      'an overridden method': [`POST /metrics HTTP/1.1\r\n${HOST}X-HTTP-Method-Override: GET\r\n\r\n`, 405],
      'no host': ['GET /metrics HTTP/1.1\r\n\r\n', 400],
      'HTTP/0.9': ['GET /metrics\r\n\r\n', 403],
      'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      'a tunnel': ['CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n', undefined]
    }
    for (const [name, [bytes, status]] of Object.entries(cases)) {
      const answer = await raw(app.url, /** @type {string} */ (bytes))
      assert.equal(statusesOf(answer)[0], status, `${name}: ${answer}`)
      assert.ok(!answer.includes('loopwatch_'), name)
    }
  })

  await t.test('answers what asks without a Host, as HTTP/1.0 may and no browser does, or for an absolute address', async () => {
    const { host } = new URL(app.url)
    for (const first of ['/healthz HTTP/1.0\r\n', `http://${host}/healthz HTTP/1.0\r\n`, `http://${host}/healthz?ms=10 HTTP/1.1\r\nHost: ${host}\r\n`, `HTTP://LOCALHOST:1/healthz HTTP/1.1\r\n${HOST}`]) {
      assert.match(await raw(app.url, `GET ${first}Connection: close\r\n\r\n`), /^HTTP\/1\.1 200 .*"status":"ok"/s, first)
    }
    assert.match(await raw(app.url, `GET http://${host} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`), /"name":"loopwatch"/)
  })

  await t.test('switches to no other protocol', async () => {
    for (const protocol of ['websocket', 'h2c', 'TLS/1.2']) {
      const answer = await raw(app.url, `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAAA\r\n\r\n`)
      assert.deepEqual(statusesOf(answer), [200], protocol)
    }
  })

  await t.test('gives nobody of another origin leave to read', async () => {
    for (const path of ['/', '/metrics', '/healthz', '/blocks', '/events', '/page.js']) {
      const response = await app.watchdog(path, { headers: { origin: 'http://evil.example', accept: 'text/html' } })
      await response.body?.cancel()
      assert.equal(response.headers.get('access-control-allow-origin'), null, path)
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin', path)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path)
    }
  })

  await t.test('finds nothing but blocks under /blocks', async () => {
    const [{ id }] = /** @type {any} */ (await (await app.watchdog('/blocks')).json())
    const climb = fc.array(fc.constantFrom('..', '.', '%2e%2e', '%2f', '/', '\\', '%5c', '%00', 'etc', 'passwd', '~', ';', '%252e', '..%c0%af', id, '.cpuprofile', '.pb.gz', '.folded.txt'), { maxLength: 12 })
    await fc.assert(fc.asyncProperty(climb, async (parts) => {
      const answer = await raw(app.url, `GET /blocks/${parts.join('')} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
      assert.ok([200, 400, 404].includes(statusesOf(answer)[0]), answer)
      assert.ok(!answer.includes('root:'), answer)
    }), fuzz)
  })

  await t.test('answers whatever is asked as HTTP asks for, and goes on', async () => {
    const strange = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('*', '-1', '0', '\0', '\r\n', 'chunked', 'h2c', '[::1]:9464', '100-continue'))
    const value = fc.oneof({ arbitrary: fc.constantFrom('text/html', 'application/openmetrics-text', 'Bearer x', 'close', '5000', 'folded', 'route,cause'), weight: 4 }, { arbitrary: strange, weight: 1 })
    const header = fc.tuple(fc.oneof({ arbitrary: fc.constantFrom('Accept', 'Authorization', 'If-None-Match', 'Range', 'Cookie', 'X'), weight: 8 }, { arbitrary: fc.constantFrom('Host', 'Connection', 'Upgrade', 'Expect', 'Content-Length', 'Transfer-Encoding'), weight: 1 }), value)
    const query = fc.array(fc.tuple(fc.constantFrom('ms', 'format', 'seconds', 'group', 'cause', 'route', '__proto__'), fc.oneof(value, strange)), { maxLength: 3 })
    const known = fc.tuple(fc.constantFrom('/', '/metrics', '/healthz', '/blocks', '/profile', '/flame', '/page.js', '/events', '/blocks/1-1.folded.txt', '/__proto__', '/constructor/x'), query)
      .map(([base, pairs]) => `${base}?${pairs.map(([key, text]) => `${key}=${encodeURIComponent(text.toWellFormed())}`).join('&')}`)
    const rarely = (/** @type {string} */ usual, /** @type {fc.Arbitrary<string>} */ other) =>
      fc.oneof({ arbitrary: fc.constant(usual), weight: 8 }, { arbitrary: other, weight: 1 })
    const request = fc.record({
      method: rarely('GET', fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'TRACE', 'get', '')),
      path: fc.oneof({ arbitrary: known, weight: 8 }, { arbitrary: strange, weight: 1 }),
      version: rarely('HTTP/1.1', fc.constantFrom('HTTP/1.0', 'HTTP/9.9', '')),
      headers: fc.array(header, { maxLength: 4 }),
      body: rarely('', strange)
    })
    const allowed = [100, 200, 304, 400, 403, 404, 405, 408, 417, 431, 503]
    const seen = new Set()
    await fc.assert(fc.asyncProperty(request, async ({ method, path, version, headers, body }) => {
      const lines = [`${method} ${path} ${version}`, 'Host: localhost', 'Connection: close', ...headers.map((header) => header.join(': '))]
      const socket = await connect(t, app.url, `${lines.join('\r\n')}\r\n\r\n${body}`)
      socket.end()
      let answer = ''
      // An open stream of events has no end.
      socket.on('data', (data) => { answer += data; if (answer.includes('event-stream')) socket.destroy() })
      await once(socket, 'close')
      for (const status of statusesOf(answer.split('\r\n\r\n')[0])) {
        seen.add(status)
        assert.ok(allowed.includes(status), answer)
      }
    }), fuzz)
    for (const status of [200, 400, 403, 404, 405]) assert.ok(seen.has(status), `no ${status} among ${[...seen]}`)
  })

  await t.test('outlives noise', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
      const statuses = statusesOf(await raw(app.url, bytes))
      assert.ok(statuses.every((status) => status === 400), String(statuses))
    }), { ...fuzz, numRuns: fuzz.numRuns / 4 })
  })

  await t.test('has not noticed any of it: the same thread, the same block, no complaint', async () => {
    assert.equal((await app.watchdog('/healthz')).status, 200)
    assert.match(await (await app.watchdog('/metrics')).text(), /block_duration_seconds_count\{[^}]*\} [1-9]/)
    assert.equal(app.lines().filter(({ event }) => event === 'listening').length, 1)
    assert.deepEqual(app.lines().filter(({ event, reason }) => (event === 'degraded' && reason !== 'profile') || event === 'fault'), [])
    assert.ok(!app.out.stderr.includes('Warning'), app.out.stderr)
  })
})
