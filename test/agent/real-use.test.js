'use strict'

// runtime: async hooks and diagnostics channels
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode, FIXTURES } = require('../support/app')

const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
/** Under the agent at its busiest: what blocks for 20 ms is looked into, every request is followed. */
const watched = { NODE_OPTIONS: `--require "${REGISTER}"`, LOOPWATCH_LOG: 'false', LOOPWATCH_PORT: '0', LOOPWATCH_THRESHOLD: '20', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_ONLY: '*' }

/** What a run of tests says apart from durations. @param {string} tap */
const resultsOf = (tap) => tap.split('\n').filter((line) => !/duration_ms/.test(line)).join('\n')

test('packages that live on the event loop pass the same tests under the agent', async (t) => {
  const files = ['express', 'fastify', 'piscina', 'undici', 'ws'].map((name) => path.join(FIXTURES, 'real-use', `${name}.js`))
  const args = ['--test', '--test-reporter=tap', ...files]
  const [without, under] = await Promise.all([startNode(t, args).closed, startNode(t, args, { env: watched }).closed])
  assert.match(without.stdout, /^# fail 0$/m, without.stdout)
  assert.match(without.stdout, /^# pass 28$/m, without.stdout)
  assert.equal(resultsOf(under.stdout), resultsOf(without.stdout))
  assert.deepEqual({ code: under.code, stderr: under.stderr }, { code: 0, stderr: '' })
})
