'use strict'

// `loopwatch doctor <pid>` on real processes: with an agent, without one, in a network of its own.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')

const ROOT = path.join(__dirname, '..', '..')
const CLI = path.join(ROOT, 'lib', 'cli', 'main.js')
/** A port that does not answer for so long is given up. */
const ANSWER_MS = 10_000
const mayUnshare = process.platform === 'linux' && spawnSync('unshare', ['-n', 'true']).status === 0

/** @param {import('node:test').TestContext} t @param {number | undefined} pid */
const examine = (t, pid) => startNode(t, [CLI, 'doctor', `${pid}`]).closed

test('doctor finds a process by its id, even if another of its ports never answers; without an agent it says how to add one', { skip: process.platform !== 'linux' }, async (t) => {
  const silent = 'require("node:net").createServer().listen(0, "127.0.0.1");'
  const start = `require(${JSON.stringify(ROOT)}).start({ port: 0, log: false }).ready.then(({ url }) => console.log(url))`
  const app = startNode(t, ['-e', `${silent} ${start}; setInterval(() => {}, 1000)`])
  const url = await eventually(() => app.out.stdout.trim(), 'an agent')
  const sinceMs = performance.now()
  const watched = await examine(t, app.child.pid)
  assert.match(watched.stdout, new RegExp(`^watching +${new URL(url).host}: loopwatch `), watched.stderr)
  assert.ok(performance.now() - sinceMs < ANSWER_MS, 'it does not wait for the silent port')

  const other = startNode(t, ['-e', 'require("node:http").createServer((_, response) => response.end()).listen(0, "127.0.0.1", () => console.log("listens"))'])
  await eventually(() => other.out.stdout, 'a process that listens')
  const { code, stderr } = await examine(t, other.child.pid)
  assert.equal(code, 1)
  assert.match(stderr, /none of its ports \(\d+\) is the endpoint of an agent.*LOOPWATCH_ERR_SOURCE/)
})

test('a process that LOOPWATCH_ONLY excludes is reported with that variable', { skip: process.platform !== 'linux' }, async (t) => {
  const app = startNode(t, ['-r', path.join(ROOT, 'lib', 'register.js'), '-e', 'console.log("runs"); setInterval(() => {}, 1000)'], { env: { LOOPWATCH_ONLY: 'server' } })
  await eventually(() => app.out.stdout, 'a process that runs')
  const { code, stderr } = await examine(t, app.child.pid)
  assert.equal(code, 1)
  assert.match(stderr, /it is not listening on any port, and LOOPWATCH_ONLY=server may exclude it\. Start it/)
})

test('the ports of another network namespace are not asked for here', { skip: !mayUnshare }, async (t) => {
  const app = startNode(t, ['-n', process.execPath, '-e', 'console.log("runs"); setInterval(() => {}, 1000)'], { node: 'unshare' })
  await eventually(() => app.out.stdout, 'a process in a network of its own')
  const { code, stderr } = await examine(t, app.child.pid)
  assert.equal(code, 1)
  assert.match(stderr, /is in a container or another network namespace: run loopwatch doctor inside it/)
})
