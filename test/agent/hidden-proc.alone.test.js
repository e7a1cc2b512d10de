'use strict'

// The agent on a real process that sees no /proc, on a machine whose CPUs are all taken.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const os = require('node:os')
const { startApp } = require('../support/app')

const NODE = process.env.TEST_NODE ?? process.execPath
/** In a mount namespace of its own, /proc is covered by an empty folder. */
const HIDING = ['-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$0" "$@"', NODE]
/** Processes that compute, for each CPU. */
const HOGS = 3
const HOG_S = 20
const BLOCKS = 8
const IN_TIME_MS = 10

const isHidden = process.platform === 'linux' &&
  spawnSync('unshare', [...HIDING, '-p', 'fs.readdirSync("/proc").length'], { encoding: 'utf8' }).stdout?.trim() === '0'

test('without /proc on a busy machine a loop is never reported as stopped, nor as asleep when it answered', { skip: !isHidden && 'a mount namespace is needed' }, async (t) => {
  const app = await startApp(t, { node: 'unshare', args: HIDING })
  const degraded = await app.line(({ event, reason }) => event === 'degraded' && reason === 'proc', 'the log to say so')
  assert.match(degraded.msg, /cannot be read/)
  assert.match(await (await app.watchdog('/metrics')).text(), /loopwatch_degraded\{reason="proc"\} 1/)

  const end = `for (const end = Date.now() + ${HOG_S}e3; Date.now() < end;);`
  const hogs = os.cpus().flatMap(() => Array.from({ length: HOGS }, () => spawn(NODE, ['-e', end], { stdio: 'ignore' })))
  t.after(() => hogs.forEach((hog) => hog.kill('SIGKILL')))
  for (let i = 0; i < BLOCKS; i++) await app.get('/spin?ms=300')
  await app.line(() => app.lines().filter(({ event }) => event === 'settled').length >= BLOCKS, 'the blocks')
  const settled = app.lines().filter(({ event, request }) => event === 'settled' && request?.route === '/spin')
  assert.ok(settled.length > 0)
  for (const { cause, evidence } of settled) {
    const seen = `${cause} ${JSON.stringify(evidence)}`
    assert.notEqual(cause, 'suspended', seen)
    // Nothing tells a loop that had no CPU whenever it was asked from a call that sleeps.
    if (evidence.answerMs < IN_TIME_MS) assert.notEqual(cause, 'sync-io', seen)
  }
})
