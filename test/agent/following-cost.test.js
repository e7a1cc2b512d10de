'use strict'

// runtime: async hooks
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { hasContextFrame } = require('../../lib/host/runtime')
const { startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))

test('a handler of many awaits is not slowed down for good by following its request', { skip: hasContextFrame() && 'following is free on this version of Node.js' }, async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    const { executionAsyncId } = require('node:async_hooks')
    const agent = require(${PACKAGE}).start({ port: 0 })
    const sum = async () => { let n = 0; for (let i = 0; i < 3_000_000; i++) n += await i; return n }
    // Promises have numbers only while somebody follows them.
    const countsPromises = async () => { await 0; const id = executionAsyncId(); await 0; return executionAsyncId() > id }
    const server = require('node:http').createServer(async (req, res) => { await sum(); res.end() }).listen(0, async () => {
      await agent.ready
      for (let i = 0; i < 4; i++) {
        const startMs = performance.now()
        await (await fetch('http://127.0.0.1:' + server.address().port)).text()
        console.log(JSON.stringify({ tookMs: performance.now() - startMs, isFollowed: await countsPromises() }))
        await new Promise((resolve) => setTimeout(resolve, 700))
      }
      console.log(JSON.stringify({ requests: (await agent.blocks()).map(({ request }) => request?.route ?? null) }))
      server.close()
      await agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const answers = lines.filter(({ tookMs }) => tookMs !== undefined)
  // Followed all the time, each took five times as long.
  assert.deepEqual(answers.map(({ isFollowed }) => isFollowed), [false, false, false, false], JSON.stringify(answers))
  assert.equal(lines.filter(({ event }) => event === 'requests_on').length, 1)
  assert.equal(lines.filter(({ event }) => event === 'requests_off').length, 1)
  const { requests } = lines.find(({ requests }) => requests !== undefined)
  assert.ok(requests.includes('/'), 'the block after the first names its request')
})
