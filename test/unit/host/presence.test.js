'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { isTested, isWatched } = require('../../../lib/host/launchers')
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

test('a test runner is known by its package, and who was started by one by the command line of its parent', () => {
  const own = '/srv/app/server.js'
  const command = (/** @type {string[]} */ ...args) => [...args, ''].join('\0')
  for (const runner of ['mocha/bin/_mocha', '.bin/jest', 'jest-worker/build/processChild.js', '@hapi/lab/bin/lab', '@tapjs/run/dist/index.js', 'ava/cli.js']) {
    const file = `/srv/app/node_modules/${runner}`
    assert.equal(isTested(file, command('bash')), true, file)
    assert.equal(isTested(own, command('node', '--no-warnings', file)), true, file)
  }
  assert.equal(isTested(own, 'node (vitest 1)'), true)
  for (const parent of ['', 'bash', 'node /srv/mocha/server.js', 'node /lab/tap/jest.js', '/srv/node_modules/.bin/nest start', 'pm2']) {
    assert.equal(isTested(own, command(...parent.split(' '))), false, parent)
  }
  assert.equal(isTested(null, ''), false)
})

test('a process of node --test counts, and none that its tests start', (t) => {
  const before = process.env.NODE_TEST_CONTEXT
  t.after(() => { if (before !== undefined) process.env.NODE_TEST_CONTEXT = before })
  process.env.NODE_TEST_CONTEXT = 'child-v8'
  assert.equal(isTested('/srv/a.test.js', 'node\0--test\0a.test.js\0'), true)
  assert.equal(isTested('/srv/server.js', 'node\0a.test.js\0'), false)
  delete process.env.NODE_TEST_CONTEXT
  assert.equal(isTested('/srv/server.js', 'node\0app.js\0--test\0'), false)
})
