'use strict'

// runtime: the loop's idle time
const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const { startApp, startNode, eventually } = require('../support/app')

const CALM_MS = 1500

/** @param {any[]} records */
const blamed = (records) => records.filter(({ cause }) => cause === 'js' || cause === 'native')

/**
 * @param {{ watchdog: (path: string) => Promise<Response> }} app
 * @returns {Promise<any[]>} blocks since the loop turned
 */
const blocksOf = async (app) => /** @type {any} */ (await (await app.watchdog('/blocks')).json()).filter((/** @type {any} */ { startup }) => !startup)

test('an idle process has no blocks', async (t) => {
  const app = await startApp(t)
  await new Promise((resolve) => setTimeout(resolve, CALM_MS))
  assert.deepEqual(blamed(await blocksOf(app)), [])
})

test('a process busy with many short requests has no blocks', async (t) => {
  const app = await startApp(t)
  const end = Date.now() + CALM_MS
  const client = async () => {
    while (Date.now() < end) await (await app.get('/calm')).text()
  }
  await Promise.all(Array.from({ length: 20 }, client))
  assert.deepEqual(blamed(await blocksOf(app)), [])
})

test('a process stopped and continued was suspended, whether it was idle or busy', { skip: process.platform === 'win32' }, async (t) => {
  for (const busy of [false, true]) {
    const app = await startApp(t)
    // Short enough to be no block on a busy machine.
    if (busy) app.get('/spin?ms=20').catch(() => {})
    app.child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    app.child.kill('SIGCONT')
    const record = await eventually(async () => (await blocksOf(app)).find(({ ongoing, durationMs }) => !ongoing && durationMs > 900), 'a record of the stop')
    assert.equal(record.cause, 'suspended', JSON.stringify(record))
    assert.deepEqual(blamed(await blocksOf(app)), [])
    assert.ok(!app.lines().some(({ event, cause }) => event === 'settled' && cause === 'js'), app.out.stdout)
    app.child.kill()
  }
})

test('a process that gets no CPU because others take it all is not blamed', { skip: process.platform !== 'linux' && 'schedstat is needed' }, async (t) => {
  const app = await startApp(t)
  const hogs = Array.from({ length: os.availableParallelism() * 3 }, () => startNode(t, ['-e', 'for (;;);']))
  const end = Date.now() + 3000
  while (Date.now() < end) await (await app.get('/spin?ms=5')).text()
  for (const { child } of hogs) child.kill('SIGKILL')
  await Promise.all(hogs.map(({ closed }) => closed))
  assert.deepEqual(blamed(await blocksOf(app)).filter(({ evidence, durationMs }) =>
    // A turn that had more than the threshold of CPU for itself was a block all the same.
    evidence.cpuMs === null || durationMs - evidence.runQueueMs < 50), [])
})
