'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startApp, startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
const START = `const agent = require(${PACKAGE}).start({ port: 0, log: false })`

test('an agent does not keep the process alive, and after stop() it watches nothing', async (t) => {
  const ended = await startNode(t, ['-e', START]).closed
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', ''])
  const stopped = await startNode(t, ['-e', `${START}
    agent.ready.then(() => agent.stop()).then(async () => {
      const end = performance.now() + 200
      while (performance.now() < end);
      console.log((await agent.blocks()).length, Symbol.for('loopwatch.agent.1') in globalThis)
    })`]).closed
  assert.deepEqual([stopped.code, stopped.stdout], [0, '0 false\n'], stopped.stderr)
})

test('exit codes are those of the application, also in the middle of a block', async (t) => {
  const exits = await startApp(t)
  exits.get('/exit').catch(() => {})
  assert.equal((await exits.closed).code, 7)
  const throws = await startNode(t, ['-e', `${START}; setTimeout(() => {
    const end = performance.now() + 200
    while (performance.now() < end);
    throw new Error('of the application')
  }, 300)`]).closed
  assert.equal(throws.code, 1)
  assert.match(throws.stderr, /Error: of the application/)
})
