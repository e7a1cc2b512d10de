'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { isWatched } = require('../../../lib/host/launchers')
const { isPresent } = require('../../../lib/host/presence')

const idle = { isOwn: true, isServing: false, isWorking: false, ageMs: 9999, hasChildren: false }

test('a preloaded process shows itself once it serves or works, or has lived for ten seconds without children', () => {
  assert.equal(isPresent(idle), false)
  assert.equal(isPresent({ ...idle, isServing: true }), true)
  assert.equal(isPresent({ ...idle, isWorking: true }), true)
  assert.equal(isPresent({ ...idle, ageMs: 10000 }), true)
  assert.equal(isPresent({ ...idle, ageMs: 10000, hasChildren: true }), false)
  assert.equal(isPresent({ ...idle, ageMs: 10000, hasChildren: true, isServing: true }), true)
})

test('what a package brings shows itself only by a server or work, however long it lives', () => {
  assert.equal(isPresent({ ...idle, isOwn: false, ageMs: 1e9 }), false)
  assert.equal(isPresent({ ...idle, isOwn: false, isServing: true }), true)
})

test('patterns of LOOPWATCH_ONLY and LOOPWATCH_SKIP are a name, the end of a path, or *', () => {
  const isNamed = (/** @type {string} */ pattern) => isWatched('/srv/api/server.v2.js', [pattern], [])
  for (const pattern of ['server.v2', 'server.v2.js', 'server*', '*v2', '*', 'api/server.v2', 'api/*', 'srv/*/server*']) assert.equal(isNamed(pattern), true, pattern)
  for (const pattern of ['server', 'erver.v2', 'server-v2', 'server.v2.j', 'api', 'pi/server.v2', '.*']) assert.equal(isNamed(pattern), false, pattern)
  assert.equal(isWatched('/srv/a.js', [], []), true)
  assert.equal(isWatched('/srv/a.js', [], ['a']), false)
  assert.equal(isWatched('/srv/a.js', ['a'], ['*']), false)
  assert.equal(isWatched(null, ['a'], []), false)
  assert.equal(isWatched(null, ['*'], []), true)
})
