'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { isHostAllowed, isTokenValid, readAddress } = require('../../../../lib/export/http/guard')

/** @param {(string | undefined)[]} headers @param {boolean} expected @param {string[]} [allowed] */
function check (headers, expected, allowed = []) {
  for (const header of headers) assert.equal(isHostAllowed(header, allowed), expected, JSON.stringify(header))
}

test('an address is answered, of either kind, with a port or without', () => {
  check(['127.0.0.1', '127.0.0.1:9464', '10.1.2.3:80', '0.0.0.0', '203.0.113.7:9464', '127.0.0.1:', '[::1]', '[::1]:9464', '[2001:db8::1]', '[::ffff:127.0.0.1]:1', '[FE80::1]:9464'], true)
})

test('localhost and names of one label are answered, as containers and services have', () => {
  check(['localhost', 'localhost:9464', 'LOCALHOST', 'app.localhost', 'app', 'app:9464', 'my-app-7d9f', 'my_app', 'APP:80'], true)
})

test('names that only private networks have are answered', () => {
  check(['app.ns.svc', 'app.ns.svc.cluster.local', 'app.ns.svc.cluster.local:9464', '10-1-2-3.ns.pod.cluster.local', 'printer.local', 'db.internal:9464', 'ip-10-0-0-1.ec2.internal', 'App.Ns.Svc.Cluster.Local'], true)
})

test('a name that a page of the Internet can have is refused, whatever it looks like', () => {
  check(['example.org', 'example.org:9464', 'rebind.attacker.example', '127.0.0.1.attacker.example', '127.0.0.1.nip.io', 'localhost.attacker.example', 'local.example', 'internal.example', 'svc.example', 'cluster.local.example',
    'notlocal.example', 'examplelocal.org', 'example.locals', 'example.mylocal', 'xn--bcher-kva.example', 'a.b.c.d', '1.2.3', '1.2.3.4.5', '256.1.1.1', 'example.org.', 'example.com:80:80', '[example.org]', '[127.0.0.1.example.org]:80'], false)
})

test('a name that is allowed is answered, in any case, with any port, and no other', () => {
  const allowed = ['metrics.example.org', 'Other.Example']
  check(['metrics.example.org', 'metrics.example.org:9464', 'METRICS.example.ORG', 'other.example:80'], true, allowed)
  check(['example.org', 'x.metrics.example.org', 'metrics.example.org.attacker.example', 'metricsxexample.org', 'metrics.example', ''], false, allowed)
})

test('a header that is missing, empty or no name is refused', () => {
  check([undefined, '', ' ', ':', ':9464', '::1', '.', '[', ']', '[]', '[::1', 'a b', 'localhost\n', 'localhost\nexample.org', 'example.org\nlocalhost', 'http://localhost', 'localhost/', 'user@localhost', 'localhost:port',
    '127.0.0.1/8', 'localhost, example.org', 'größe', 'a\0b', '*', '%6cocalhost'], false)
  check([`${'a.'.repeat(5000)}example`, `${'['.repeat(5000)}`, `${':1'.repeat(5000)}`], false)
})

test('an invalid header name is refused whatever is allowed', () => {
  check([undefined, '', 'a b', '*'], false, ['', 'a b', '*'])
})

test('an absolute address has an authority, which is all up to the path, and any other has none', () => {
  const authorityOf = (/** @type {string} */ url) => readAddress(url).authority
  assert.deepEqual(readAddress('/blocks/1-1?a=b?c'), { authority: undefined, path: '/blocks/1-1', query: 'a=b' })
  assert.deepEqual(readAddress('http://app:9464/blocks/1-1?a=b'), { authority: 'app:9464', path: '/blocks/1-1', query: 'a=b' })
  assert.deepEqual(readAddress('HTTPS://[::1]?a'), { authority: '[::1]', path: '/', query: 'a' })
  assert.deepEqual(['//evil.example/metrics', '/http://evil.example/', 'evil.example', '*', '', 'http:/evil.example', 'ftp://evil.example/'].map(authorityOf), Array(7).fill(undefined))
  check(['http://', 'http:///metrics', 'http://user@localhost/', 'http://localhost\\.evil.example/', 'http://localhost#.evil.example/', 'http://localhost\n/'].map(authorityOf), false)
})

test('without a token nobody needs one', () => {
  for (const header of [undefined, '', 'Bearer x', 'Basic eDp5']) assert.equal(isTokenValid(header, undefined), true)
})

test('with a token it is asked for, whole and exact', () => {
  const token = 'secret-Token.1'
  assert.equal(isTokenValid(`Bearer ${token}`, token), true)
  for (const header of [undefined, '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.toLowerCase()}`, `Bearer  ${token}`, ` Bearer ${token}`, `Bearer ${token} `,
    'Bearer undefined', `Bearer ${token}, Bearer x`, 'x'.repeat(100000)]) {
    assert.equal(isTokenValid(header, token), false, JSON.stringify(header)?.slice(0, 50))
  }
  assert.equal(isTokenValid('Bearer undefined', 'undefined'), true)
})

test('a token is compared in constant time, however much of it is right and however long it is', (t) => {
  const compare = t.mock.method(crypto, 'timingSafeEqual')
  const headers = [undefined, 'Bearer s', 'Bearer secret-Token.', 'Bearer secret-Token.1', `Bearer ${'x'.repeat(8000)}`, 'Basic eDp5']
  for (const header of headers) isTokenValid(header, 'secret-Token.1')
  assert.deepEqual(
    compare.mock.calls.map(({ arguments: [a, b] }) => [a.byteLength, b.byteLength]),
    headers.map(() => [32, 32])
  )
})
