'use strict'

// runtime: stacks, async contexts, the end of a process
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode, FIXTURES } = require('../support/app')

const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
const watched = { NODE_OPTIONS: `--require "${REGISTER}"`, LOOPWATCH_LOG: 'false', LOOPWATCH_PORT: '0', LOOPWATCH_THRESHOLD: '20', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_ONLY: '*' }

/** @param {{ stdout: string, stderr: string }} ended */
function parse ({ stdout, stderr }) {
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`no observations: ${stdout}${stderr}`)
  }
}

test('stacks, contexts, domains, the order of callbacks, threads, clusters and every end of a process are the same under the agent', async (t) => {
  const run = (/** @type {Record<string, string>} */ env) => startNode(t, ['observations.js'], { env, cwd: FIXTURES }).closed
  const [without, under] = (await Promise.all([run({}), run(watched)])).map(parse)
  for (const name of Object.keys(without)) {
    await t.test(name, () => assert.deepEqual(under[name], without[name]))
  }
  assert.equal(without.endings.throws.code, 1)
  assert.match(without.endings.throws.stderr, /thrown/)
  assert.equal(without.endings.killed.signal, 'SIGTERM')
})
