'use strict'

// Who allocates in blocks by the garbage collector, named by V8's heap profile.
// runtime: V8's heap profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const { startNode, FIXTURES } = require('../support/app')

const APP = 'garbage.js'
const BLOCKS = 12
/** What outlives a collection is copied each time, on the main thread: with these flags in every run. */
const FLAGS = ['--single-threaded-gc', '--max-semi-space-size=1', '--no-allocation-site-pretenuring']
const hasHeapProfile = 'startHeapProfile' in v8 && /** @type {any} */ (v8).startHeapProfile.length > 0

/** @param {import('node:test').TestContext} t @param {object} options */
async function run (t, options) {
  const { stdout, stderr, code } = await startNode(t, [...FLAGS, APP, `${BLOCKS}`, JSON.stringify(options)]).closed
  assert.equal(code, 0, stderr)
  const records = stdout.trim().split('\n').map((line) => JSON.parse(line))
  return { records, messages: stderr.trim().split('\n').map((line) => JSON.parse(line).msg) }
}

const skip = !hasHeapProfile && 'it needs v8.startHeapProfile() of Node.js 26'

test('from the second block on that garbage makes, the record names function and line that allocate', { skip }, async (t) => {
  const lines = fs.readFileSync(path.join(FIXTURES, APP), 'utf8').split('\n')
  const { records, messages } = await run(t, {})
  const told = records.filter(({ allocators }) => allocators !== undefined)
  const seen = records.map(({ cause, evidence, durationMs }) => [cause, durationMs, evidence.gcMs])
  assert.ok(told.length > 0, JSON.stringify(seen))
  assert.ok(records.slice(0, 2).every(({ allocators }) => allocators === undefined), 'not before the third')
  assert.ok(told.length <= 2, `at most one a minute: ${told.length}`)
  const [{ frame, share }] = told[0].allocators
  assert.equal(frame.function, 'toPage')
  assert.equal(frame.file, path.join(FIXTURES, APP))
  assert.match(lines[frame.line - 1], /\/\/ allocates$/, JSON.stringify(told[0].allocators))
  assert.equal(frame.exact, true)
  assert.ok(share > 0.5, `${share}`)
  const isTold = told.some(({ cause }) => cause === 'gc')
  assert.equal(messages.some((message) => /\(gc\), allocating .*B\/s, \d+ % of the bytes in toPage \(.*garbage\.js:\d+\)/.test(message)), isTold, messages.join('\n'))
})

test("with profile: 'off', or before Node.js 26, nobody is named and nothing is sampled", async (t) => {
  const { records } = await run(t, hasHeapProfile ? { profile: 'off' } : {})
  assert.ok(records.length >= 3)
  assert.ok(records.every(({ allocators }) => allocators === undefined))
})
