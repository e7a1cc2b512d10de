'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { wrapSync } = require('../../../../lib/cli/test/inside/sync/wrap-sync')
const { callerOf } = require('../../../../lib/cli/test/code-ownership')
const { headline, lengthOf } = require('../../../../lib/cli/test/report')
const { compare, updated } = require('../../../../lib/cli/test/ratchet')
const { syncOffencesOf } = require('../../../../lib/cli/test/sync')
const { makeOffence, makeOutcome } = require('../../../support/offence')

const APP = '/srv/app/lib/a.js'
const LIMITS = { all: false, cwd: '/srv/app' }

/** @param {...string} files innermost first */
const frames = (...files) => files.map((file, i) => ({ function: 'load', file, line: i + 1, column: 1 }))

/** @param {Partial<import('../../../../lib/cli/test/runs').SyncCall>} [differences] */
const makeCall = (differences) => ({
  call: 'fs.readFileSync', twin: 'fs.promises.readFile', function: 'load', file: APP, line: 3, column: 9, package: null, isStartup: false, atMs: 1100, count: 1, ...differences
})

/** @param {Partial<import('../../../../lib/cli/test/runs').ProcessRun>} differences */
const makeRun = (differences) => ({
  pid: 1,
  argv: ['node', '/srv/app/test/a.test.js'],
  execArgv: [],
  cwd: '/srv/app',
  isWatched: true,
  isMetered: true,
  isNodeTest: true,
  startMs: 0,
  stretches: [],
  sourceMaps: new Map(),
  tests: [{ name: 'reads', file: '/srv/app/test/a.test.js', startMs: 1000, endMs: 1200 }],
  syncCalls: [makeCall()],
  ...differences
})

const offencesOf = (/** @type {Partial<import('../../../../lib/cli/test/runs').ProcessRun>[]} */ ...runs) =>
  syncOffencesOf(runs.map(makeRun), LIMITS)

test('a synchronous call is the application\'s if its code, or a package that it calls, has made it', () => {
  const cases = /** @type {[string[], string, string | null][]} */ ([
    [[APP, '/srv/app/node_modules/mocha/lib/runner.js'], '/srv/app/node_modules/mocha/bin/mocha.js', APP],
    [['/srv/app/node_modules/ejs/ejs.js', APP], APP, APP],
    // A callback of a package, in the application's process and in a tool's.
    [['/srv/app/node_modules/send/index.js'], APP, '/srv/app/node_modules/send/index.js'],
    [['/srv/app/node_modules/send/index.js'], '/srv/app/node_modules/eslint/bin/eslint.js', null],
    [['/srv/app/node_modules/mocha/lib/runner.js', APP], APP, null],
    [['/srv/app/node_modules/babel-plugin-x/index.js', '/srv/app/node_modules/@babel/core/index.js'], APP, null],
    [[APP, 'node:internal/modules/cjs/loader', APP], APP, null],
    [['node:fs', 'node:internal/process/task_queues'], APP, null]
  ])
  for (const [files, script, expected] of cases) {
    assert.equal(callerOf(frames(...files), script, false)?.frame.file ?? null, expected, files.join())
  }
  assert.equal(callerOf(frames('/srv/app/node_modules/ejs/ejs.js', APP), APP, false)?.package, 'ejs')
  assert.equal(callerOf(frames('/srv/app/node_modules/mocha/lib/runner.js', APP), APP, true)?.frame.file, APP)
})

test('calls of one function are one place, with the tests in which they were made', () => {
  const later = makeCall({ atMs: 1250, count: 2 })
  const [offence, ...others] = offencesOf({}, { syncCalls: [makeCall({ count: 4 }), later] })
  assert.deepEqual(others, [])
  assert.deepEqual([offence.function, offence.file, offence.line, offence.count], ['load', 'lib/a.js', 3, 7])
  assert.deepEqual(offence.tests.map(({ name }) => name), ['reads', null])
  assert.equal(lengthOf(offence), 'calls fs.readFileSync, 7 times; fs.promises.readFile does not block')
})

test('what comes before the first test, or before a process without tests has started, is startup', () => {
  const script = { tests: [], syncCalls: [makeCall({ isStartup: true })] }
  assert.deepEqual(offencesOf({ syncCalls: [makeCall({ atMs: 999 })] }, script), [])
  assert.equal(offencesOf({ tests: [], syncCalls: [makeCall()] })[0].tests[0].name, null)
  assert.equal(syncOffencesOf([makeRun({ syncCalls: [makeCall({ atMs: 999 })] })], { ...LIMITS, all: true }).length, 1)
})

test('known calls are a list of their own, which a run without --sync leaves as it is', () => {
  const calls = [{ file: 'lib/a.js', function: 'load', call: 'fs.readFileSync' }]
  const ratchet = { allow: [], blocks: [], calls }
  const [offence] = offencesOf({})
  compare([offence], ratchet, true)
  assert.equal(offence.state, 'known')
  const [other] = offencesOf({ syncCalls: [makeCall({ call: 'fs.statSync' })] })
  assert.deepEqual(compare([other], ratchet, true).gone, calls)
  assert.equal(other.state, 'new')
  assert.deepEqual(compare([], ratchet).gone, [])
  assert.deepEqual(updated(ratchet, []).calls, calls)
  assert.deepEqual(updated({ allow: [], blocks: [] }, [offence], true), ratchet)
  compare([offence], { allow: [{ call: 'fs.readFileSync', reason: 'small' }], blocks: [] }, true)
  assert.deepEqual([offence.state, offence.reason], ['allowed', 'small'])
  const block = makeOffence()
  compare([block], { allow: [{ call: 'fs.readFileSync' }], blocks: [] }, true)
  assert.equal(block.state, 'new')
})

test('the first line of the report tells blocks and calls apart', () => {
  const [call] = offencesOf({})
  assert.match(headline({ ...makeOutcome([call]), isSync: true }), /^no new block above 50 ms; 1 place made a synchronous call after startup$/)
  assert.match(headline({ ...makeOutcome([makeOffence()]), isSync: true }), /^1 place blocked.*; no new synchronous call after startup$/)
})

test('a function in place of a synchronous one does what it did, and tells', () => {
  /** @type {string[]} */
  const told = []
  const same = (/** @type {string} */ file) => file
  const realpathSync = Object.assign((/** @type {string} */ file) => file, { native: same })
  class DatabaseSync { exec () { return this } }
  const modules = /** @type {Record<string, any>} */ ({
    'node:child_process': { execSync: () => 'out', exec: () => {} },
    'node:zlib': { gzipSync: () => 'zip' },
    'node:crypto': { pbkdf2Sync: () => 'key', randomFillSync: () => 'random' },
    'node:sqlite': { DatabaseSync, StatementSync: class { all () { return [] } } }
  })
  const promises = { readFile () {} }
  const fs = { promises, readFileSync: same, readSync: () => 1, realpathSync, existsSync: () => true }
  const global = { Atomics: { wait: () => 'ok', load: () => 1 } }
  const wraps = wrapSync((call, twin) => told.push(`${call}: ${twin}`))
  wraps.modules({ fs, load: (name) => modules[name] })
  wraps.atomics(global)
  assert.deepEqual([fs.readFileSync('a'), fs.readSync(), fs.realpathSync('b'), fs.realpathSync.native('c'), fs.existsSync()], ['a', 1, 'b', 'c', true])
  assert.equal(modules['node:child_process'].execSync(), 'out')
  assert.equal(modules['node:zlib'].gzipSync(), 'zip')
  assert.equal(modules['node:crypto'].pbkdf2Sync() + modules['node:crypto'].randomFillSync(), 'keyrandom')
  const database = new modules['node:sqlite'].DatabaseSync()
  assert.ok(database instanceof DatabaseSync && database.exec() === database)
  assert.equal(global.Atomics.wait() + global.Atomics.load(), 'ok1')
  assert.equal(fs.readFileSync.name, same.name)
  assert.deepEqual(told, [
    'fs.readFileSync: fs.promises.readFile', 'fs.readSync: fs.read', 'fs.realpathSync: fs.realpath',
    'fs.realpathSync.native: fs.promises.realpath', 'fs.existsSync: fs.promises.access',
    'child_process.execSync: child_process.exec', 'zlib.gzipSync: zlib.gzip', 'crypto.pbkdf2Sync: crypto.pbkdf2',
    'new sqlite.DatabaseSync: a worker thread', 'sqlite.DatabaseSync.exec: a worker thread', 'Atomics.wait: Atomics.waitAsync'
  ])
  // What is not there is left alone.
  wrapSync(() => {}).modules({ fs: { promises, realpathSync }, load: () => undefined })
})
