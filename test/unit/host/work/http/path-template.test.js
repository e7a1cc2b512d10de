'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { pathTemplate } = require('../../../../../lib/host/work/http/path-template')
const { seeded } = require('../../../../support/simulated-host')

/** The rules as they read best; the library has them in one pass. */
const DYNAMIC = [
  /^\d+$/, // numbers
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, // UUIDs
  /^(?=.*\d)[0-9a-f]{8,}$/i, // hex ids
  /^(?=[^]*\d)[^]{20,}$/, // tokens: long, with a digit among whatever else they have
  /^[a-z]{20,}$/i, // and without one, where nothing separates words
  /[@%]/, // addresses, anything encoded
  /^[^]{64,}$/ // anything too long to be a name
]

/** @param {string} path */
function byTheRules (path) {
  const segments = path.replace(/#[^]*$/, '').split('/') // no fragment
  const kept = segments.slice(0, 12).map((segment) => segment.replace(/;[^]*$/, '')) // no matrix parameters
    .map((segment) => DYNAMIC.some((pattern) => pattern.test(segment)) ? ':id' : segment)
  return kept.join('/') + (segments.length > 12 ? '/…' : '')
}

const ALPHABETS = ['0123456789', '0123456789abcdef', '0123456789ABCDEFabcdef', 'abcdef', 'abcxyz', 'ABCxyz', 'abc-_.~=', 'abc123-_.~=',
  'abc+!$', 'abc123+', 'abc123+:,!/;', 'abc;#', 'äß日', 'äß日1', 'a\u2028', 'a\n\r', 'ſKk', '@a', '%41']
const LENGTHS = [0, 1, 2, 7, 8, 9, 19, 20, 21, 35, 36, 37, 63, 64, 65, 200]
const SHAPES = ['01234567-89ab-cdef-0123-456789abcdef', 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', 'AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE',
  'aaaaaaaa-bbbb-cccc-ddddeeeee-eeeeeee', 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeeg', '------------------------------------', 'v1', '.', '..', ':id', '*']

test('a template is what the rules say, whatever the path', () => {
  const random = seeded(7)
  const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)]
  const segment = () => random() < 0.2 ? pick(SHAPES) : Array.from({ length: pick(LENGTHS) }, ((alphabet) => () => pick(alphabet))(pick(ALPHABETS))).join('')
  for (let i = 0; i < 20000; i++) {
    const path = (random() < 0.9 ? '/' : '') + Array.from({ length: Math.floor(random() * 15) }, segment).join('/')
    assert.equal(pathTemplate(path), byTheRules(path), JSON.stringify(path))
  }
})

test('a template keeps names and replaces ids', () => {
  for (const [path, template] of [
    ['/', '/'], ['', ''], ['/orders', '/orders'], ['/orders/', '/orders/'], ['/orders/17/items', '/orders/:id/items'],
    ['/users/0b9f3a52-7c1d-4e7e-9a70-5a4f3f1f2a11/avatar', '/users/:id/avatar'], ['/v2/health-check', '/v2/health-check'],
    ['/a/b/c/d/e/f/g/h/i/j/k/l/m', '/a/b/c/d/e/f/g/h/i/j/k/…'], ['/1/2/3/4/5/6/7/8/9/10/11/12', '/:id/:id/:id/:id/:id/:id/:id/:id/:id/:id/:id/…']
  ]) assert.equal(pathTemplate(path), template)
})

test('a template has no token, no fragment and no session id of a URL', () => {
  for (const [path, template] of [
    ['/verify/q83v+EjRWeJqweTzMn0q83vEjRWeJqweTzMn0aa=', '/verify/:id'], ['/reset/a1,b2:c3!d4$e5*f6(g7)', '/reset/:id'], ['/calc/1+1', '/calc/1+1'],
    ['/login;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9', '/login'], ['/a;x=1/b;y=2/17;z=3/c', '/a/b/:id/c'], [';a', ''], ['/;a/', '//'],
    ['/orders#hunter2', '/orders'], ['/orders/17#/a/b', '/orders/:id'], ['/a;b#c/d', '/a'], ['/a#b;c/d', '/a'], ['#', ''], ['/a/b/c/d/e/f/g/h/i/j/k#/l/m', '/a/b/c/d/e/f/g/h/i/j/k']
  ]) assert.equal(pathTemplate(path), template, path)
})

test('a template leaves the last match of the application alone', () => {
  assert.equal(/(b)/.test('abc'), true)
  pathTemplate('/orders/17')
  assert.equal(RegExp.$1, 'b')
})

test('segments that are ids become :id', () => {
  for (const id of [
    '7', '0', '18446744073709551616',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3F2504E0-4F89-11D3-9A0C-0305E82C3301',
    '507f1f77bcf86cd799439011', 'DEADBEEF01', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'V1StGXR8_Z5jdHi6B-myT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
    'x'.repeat(64), '日'.repeat(64)
  ]) assert.equal(pathTemplate(`/users/${id}/orders`), '/users/:id/orders', id)
})

test('words stay words, with digits or without', () => {
  for (const path of [
    '/', '', '/users', '/v2/users', '/oauth2/token', '/s3', '/api/v1.1/x', '/i18n/en', '/utf8', '/facade', '/deadbeef', '/2fa', '/log4j', '/a//b/', '/index.html',
    '/a-rather-long-name-of-a-page', '/über/日本/🎉', '/:id', '*'
  ]) assert.equal(pathTemplate(path), path)
})

test('every id of a path is replaced, at its end too', () => {
  assert.equal(pathTemplate('/users/12/orders/9f86d081884c7d65/items/3'), '/users/:id/orders/:id/items/:id')
})

test('a path of 10 kB gives a short template, and quickly', () => {
  const random = seeded(4)
  const letters = [...'abcdef0123456789-_.~%/日é']
  const paths = ['/' + 'a'.repeat(10000), '/' + '1a'.repeat(5000), '/a'.repeat(5000), '/1'.repeat(5000), '/'.repeat(10000), '/' + 'a1-'.repeat(3333) + '!',
    ...Array.from({ length: 50 }, () => '/' + Array.from({ length: 10000 }, () => letters[Math.floor(random() * letters.length)]).join(''))]
  const startedAt = performance.now()
  for (const path of paths) {
    const template = pathTemplate(path)
    assert.ok(template.length <= 12 * 64 + 2, `${path.slice(0, 20)}… became ${template.length} characters`)
  }
  assert.ok(performance.now() - startedAt < 2000, `took ${performance.now() - startedAt} ms`)
  assert.equal(pathTemplate('/' + 'a'.repeat(10000)), '/:id')
})

test('what lies deeper than twelve segments is left out, and says so', () => {
  assert.equal(pathTemplate('/a/b/c/d/e/f/g/h/i/j/k'), '/a/b/c/d/e/f/g/h/i/j/k')
  assert.equal(pathTemplate('/a/b/c/d/e/f/g/h/i/j/k/l/m'), '/a/b/c/d/e/f/g/h/i/j/k/…')
})

test('a part of a path that may name a person or open a door is not in the template', () => {
  assert.equal(pathTemplate('/reset/ann@example.com/abcdefghijklmnopqrstuvwx'), '/reset/:id/:id')
  assert.equal(pathTemplate('/search/caf%C3%A9'), '/search/:id')
})
