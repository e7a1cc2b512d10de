'use strict'

// The agent on a real process that sees no /proc, as everywhere but on Linux: the thread itself tells its CPU time.
// runtime: the CPU time that a thread tells
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { startApp, eventually } = require('../support/app')
const { startInspected, connect, debugRequest, LEAST_STEPS } = require('../support/debugger')
const { ownCauseOf } = require('../../lib/tables/causes')

const NODE = process.env.TEST_NODE ?? process.execPath
/** In a mount namespace of its own, /proc is covered by an empty folder. */
const HIDING = ['-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$0" "$@"', NODE]
const ATTEMPTS = 5
const PAUSE_MS = 1000

/** @param {string} code */
const hidden = (code) => spawnSync('unshare', [...HIDING, '-p', code], { encoding: 'utf8' })

const isHidden = process.platform === 'linux' && hidden('fs.readdirSync("/proc").length').stdout?.trim() === '0'
const options = { skip: !isHidden && 'a mount namespace is needed' }

/**
 * What was said of a block of this kind. On a busy machine a thread may have had too little CPU for its cause to be
 * told.
 * @param {Awaited<ReturnType<typeof startApp>>} app
 * @param {string} name
 * @param {string} expected
 */
async function causeOf (app, name, expected) {
  for (let left = ATTEMPTS; ; left--) {
    const known = new Set(app.lines().map(({ block }) => block))
    const { ms } = /** @type {any} */ (await (await app.get(`/${name}?ms=300`)).json())
    const settled = await app.line((line) => line.event === 'settled' && !known.has(line.block) && line.request?.route === `/${name}` && line.durationMs > ms / 2, `${name} to be settled`)
    if (ownCauseOf(settled) === expected || left === 1) return settled
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

test('without /proc, causes come from the CPU time that the thread itself tells', options, async (t) => {
  const app = await startApp(t, { node: 'unshare', args: HIDING })
  await eventually(async () => /** @type {any} */ (await (await app.watchdog('/healthz')).json()).status === 'ok', 'calm')
  const isTold = hidden('typeof process.threadCpuUsage').stdout.trim() === 'function'
  const expected = { spin: 'js', atomicsWait: isTold ? 'sync-io' : 'js', exec: isTold ? 'sync-io' : 'unknown', pbkdf2: isTold ? 'native' : 'unknown' }
  for (const [name, cause] of Object.entries(expected)) {
    await t.test(name, async (t) => {
      const { evidence, durationMs, ...line } = await causeOf(app, name, cause)
      const seen = JSON.stringify({ ...line, durationMs, evidence })
      // Nothing tells a native call that others keep from the CPU from one that sleeps.
      if (cause === 'native' && evidence.cpuMs < durationMs / 2) return t.skip(`others had the CPU: ${seen}`)
      assert.equal(ownCauseOf({ ...line, durationMs, evidence }), cause, seen)
      assert.deepEqual([evidence.runQueueMs, evidence.throttledMs, evidence.stolenMs], [null, null, null], seen)
      if (!isTold) assert.equal(evidence.cpuMs, null, seen)
      else if (cause === 'sync-io') assert.ok(evidence.cpuMs < durationMs / 2, seen)
      else assert.ok(evidence.cpuMs > 0 && evidence.cpuMs <= durationMs, seen)
    })
  }
})

test('without /proc a pause in a debugger is not a block either, and the log says once that this may be wrong', options, async (t) => {
  if (hidden('typeof process.threadCpuUsage').stdout.trim() !== 'function') return t.skip('no CPU time of a thread')
  const app = await startInspected(t, { node: 'unshare', args: HIDING })
  const client = await connect(app.inspectorUrl)
  assert.ok(await debugRequest(app, client) >= LEAST_STEPS)
  // The log of a busy machine leaves blocks out.
  await eventually(async () => {
    await app.get('/spin?ms=300').catch(() => {})
    return app.lines().some(({ event, request, durationMs }) => event === 'settled' && request?.route === '/spin' && durationMs > 50)
  }, () => `a block after the pause: ${app.out.stdout}`)
  const blocked = app.lines().filter(({ event, cause, durationMs }) => event === 'settled' && cause === 'sync-io' && durationMs > 500)
  assert.deepEqual(blocked, [])
  assert.equal(app.lines().filter(({ event, reason }) => event === 'degraded' && reason === 'debugger').length, 1, app.out.stdout)
})
