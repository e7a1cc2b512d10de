'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { startNode, eventually } = require('../support/app')
const { makeDir } = require('../support/files')

/** libuv's own number of threads. */
const THREADS = 4
const WAIT_MS = 1500

test('requests that wait for a busy thread pool do not cause a block: the loop is free, the agent works, and no record includes the wait', async (t) => {
  const pipe = path.join(makeDir(t), 'pipe')
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const { child, out } = startNode(t, ['busy-pool.js', pipe, `${THREADS}`], { env: { UV_THREADPOOL_SIZE: `${THREADS}` } })
  const [line] = await eventually(() => /^\{.*\}$/m.exec(out.stderr), () => `the application to listen: ${out.stderr}`)
  const { port, url } = JSON.parse(line)
  const get = (/** @type {string} */ path) => fetch(`http://127.0.0.1:${port}${path}`)
  let isAnswered = false
  const waiting = get('/file').then(() => { isAnswered = true })
  await get('/')
  await sleep(WAIT_MS)
  assert.equal(isAnswered, false, 'it waits for a thread')
  await get('/')
  const blocks = /** @type {any[]} */ (await (await fetch(`${url}/blocks`)).json())
  // A machine that is busy beside the test has short ones.
  assert.deepEqual(blocks.filter(({ startup, durationMs }) => !startup && durationMs >= WAIT_MS / 2), [])
  await get('/free')
  await waiting
  child.kill()
})
