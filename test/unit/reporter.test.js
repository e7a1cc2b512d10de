'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../support/files')
const reporter = require('../support/reporter')

test('the tests that failed, and why, are kept for the last lines of a run', async (t) => {
  const failed = path.join(makeDir(t), 'failed')
  t.after(() => { delete process.env.FAILED_TESTS_FILE })
  process.env.FAILED_TESTS_FILE = failed
  const file = path.resolve('test/unit/a.test.js')
  const fail = (/** @type {string} */ name, /** @type {string} */ failureType) => ({
    type: 'test:fail', data: { name, file, nesting: 0, testNumber: 1, details: { duration_ms: 1, error: Object.assign(new Error('no'), { failureType }) } }
  })
  async function * events () {
    yield { type: 'test:pass', data: { name: 'well', file, nesting: 0, testNumber: 1, details: { duration_ms: 1 } } }
    yield fail('one that fails', 'testCodeFailure')
    yield fail('its parent', 'subtestsFailed')
  }
  for await (const _ of reporter(events())); // eslint-disable-line no-unused-vars
  assert.equal(fs.readFileSync(failed, 'utf8'), `${path.join('test', 'unit', 'a.test.js')}: one that fails\n  no\n`)
})

test('a file that passes is one line, and what was skipped says why', async () => {
  const file = path.resolve('test/unit/a.test.js')
  const data = { file, nesting: 0, testNumber: 1, details: { duration_ms: 1 } }
  async function * events () {
    yield { type: 'test:start', data: { ...data, name: 'well' } }
    yield { type: 'test:pass', data: { ...data, name: 'well' } }
    yield { type: 'test:pass', data: { ...data, name: 'elsewhere', skip: 'needs Go' } }
    yield { type: 'test:complete', data: { ...data, name: file } }
  }
  let text = ''
  for await (const part of reporter(events())) text += part
  assert.match(text, /a\.test\.js$/m)
  assert.match(text, /elsewhere.*# needs Go/)
  assert.doesNotMatch(text, /well/)
})
