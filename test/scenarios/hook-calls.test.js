'use strict'

// Hooks that are called from Rust: every call ends, with a result or a coded error, whatever the hooks do.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { needs } = require('../support/tools')
const { Context } = require('../../scenarios/harness/run/context')
const { loadAddon, registerHook } = require('../../scenarios/hook-calls/addon')
const { buildAddon, rustVersion } = require('../../scenarios/hook-calls/build')
const { run } = require('../../scenarios/hook-calls/cell')
const { implementations } = require('../../scenarios/hook-calls/implementations')

const FAULTS = path.join(__dirname, '..', 'fixtures', 'hook-faults.js')
const OWN = { consumeMs: 0, stepsPerMs: null, asyncMs: 0 }
const SHORT_MS = 300
const ALL = ['main', 'direct', 'indirect-fifo', 'indirect-race']
/** @type {Promise<string> | null} */
let building = null

/** The addon's file, null without cargo. @param {import('node:test').TestContext} t */
async function addonFor (t) {
  if (!needs(t, 'cargo')) return null
  building ??= buildAddon({ say: () => {}, version: rustVersion() ?? '' })
  return building
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} variant
 * @param {Partial<import('../../scenarios/hook-calls/implementations').PoolOptions>} options
 */
async function makePool (t, variant, options) {
  const file = await addonFor(t)
  if (file === null) return null
  const pool = await implementations[variant]({ file, workers: 2, hook: OWN, ...options })
  t.after(() => pool.stop())
  return pool
}

/** @param {import('../../scenarios/hook-calls/addon').Outcome} outcome */
const codes = (outcome) => [...new Set(outcome.failures().map(({ code }) => code))]

test('answers are those of their ids, short, long and beyond a batch', async (t) => {
  for (const variant of [...ALL, 'indirect-piscina']) {
    const pool = await makePool(t, variant, { lane: { batch: 4, depth: 2 } })
    if (pool === null) return
    for (const [count, length] of [[200, 30], [5, 8192], [3, 1000000], [0, 30]]) {
      const answers = (await pool.run(count, length)).answers()
      assert.deepEqual(answers, Array.from({ length: count }, (_, i) => `resolved:${String(i).padStart(length, 'x')}`), `${variant} ${count} ${length}`)
    }
  }
})

test('free permits are taken in the order that was asked for', async (t) => {
  /**
   * How many threads answer calls that come at once, or one after the other.
   * @param {import('../../scenarios/hook-calls/addon').Order} order
   * @param {number} depth
   * @param {number} runs
   * @param {number} count
   */
  const threadsOf = async (order, depth, runs, count) => {
    const pool = await makePool(t, 'direct', { order, lane: { depth, turnMicros: 0 }, hookFile: FAULTS })
    if (pool === null) return null
    /** @type {(string | null)[]} */
    const answers = []
    for (let i = 0; i < runs; i++) answers.push(...(await pool.run(count, 18)).answers())
    return new Set(answers).size
  }
  const together = await threadsOf('last-in', 2, 1, 2)
  if (together === null) return
  assert.equal(together, 1, 'the last permit in is one of the same thread')
  assert.equal(await threadsOf('least-loaded', 2, 1, 2), 2, 'the other thread has none in flight')
  assert.equal(await threadsOf('first-in', 1, 4, 1), 2, 'threads take turns')
  const { HookPool } = loadAddon(await building ?? '')
  assert.throws(() => new HookPool(/** @type {any} */ ('random')), { code: 'HOOK_UNKNOWN_ORDER', message: /last-in, first-in or least-loaded, it is random/ })
})

test('a hook that throws, rejects, never answers or returns the wrong type ends its call with a code', async (t) => {
  for (const variant of ALL) {
    const pool = await makePool(t, variant, { hookFile: FAULTS })
    if (pool === null) return
    const isDirect = !variant.startsWith('indirect')
    for (const [length, expected] of /** @type {[number, string][]} */ ([[10, 'HOOK_THREW'], [11, isDirect ? 'HOOK_REJECTED' : 'HOOK_THREW'], [14, 'HOOK_WRONG_TYPE'], [15, 'HOOK_WRONG_TYPE'], [12, 'HOOK_DEADLINE']])) {
      const outcome = await pool.run(4, length, length === 12 ? SHORT_MS : undefined)
      assert.deepEqual([codes(outcome), outcome.failures().length], [[expected], 4], `${variant} ${length}`)
      if (length === 10) assert.equal(outcome.failures()[0].message, 'thrown')
    }
    // A promise that never settles holds no permit where the hook is called directly.
    if (isDirect) assert.deepEqual((await pool.run(20, 17)).failures(), [], variant)
  }
})

test('a worker that ends with its call in flight ends the call; without workers none waits', async (t) => {
  for (const variant of ['direct', 'indirect-fifo', 'indirect-race']) {
    const pool = await makePool(t, variant, { hookFile: FAULTS })
    if (pool === null) return
    for (const worker of pool.workers) worker.on('error', () => {})
    const outcome = await pool.run(10, 13)
    assert.deepEqual([codes(outcome).sort(), outcome.failures().length], [['HOOK_NO_WORKER', 'HOOK_WORKER_EXITED'], 10], variant)
    assert.equal(outcome.failures().filter(({ code }) => code === 'HOOK_WORKER_EXITED').length, 2, variant)
    assert.deepEqual(codes(await pool.run(3, 30)), ['HOOK_NO_WORKER'], variant)
  }
})

test('a thread in an endless loop costs its own calls: the deadline ends them, terminate() the thread', async (t) => {
  const pool = await makePool(t, 'direct', { hookFile: FAULTS })
  if (pool === null) return
  const outcome = await pool.run(5, 16, SHORT_MS)
  assert.deepEqual([codes(outcome), outcome.failures().length], [['HOOK_DEADLINE'], 5])
  const later = pool.run(3, 30)
  await Promise.all(pool.workers.map((worker) => worker.terminate()))
  assert.deepEqual(codes(await later).filter((code) => !['HOOK_NO_WORKER', 'HOOK_WORKER_EXITED'].includes(code)), [])
})

test('a pool that is stopped while busy ends every call and every thread', async (t) => {
  for (const variant of ALL) {
    const pool = await makePool(t, variant, { hook: { ...OWN, asyncMs: 1000 } })
    if (pool === null) return
    const running = pool.run(50, 30)
    await pool.stop()
    const outcome = await running
    assert.deepEqual([codes(outcome), outcome.failures().length], [['HOOK_STOPPED'], 50], variant)
    assert.deepEqual(codes(await pool.run(1, 30)), ['HOOK_STOPPED'])
    await pool.stop()
  }
})

test('answers are checked when nothing is measured any more: to read long ones blocks the main thread', async (t) => {
  const file = await addonFor(t)
  if (file === null) return
  const params = { consumeMs: 0, count: 4, idLength: 100000, workers: 2 }
  const data = { implementation: 'direct', lane: {}, order: 'last-in', asyncMs: 0, isWallTime: false, isOnce: false }
  const context = new Context({ cell: { variant: 'direct', params, module: '', data }, mode: 'default', seconds: 0.3, warmUpSeconds: 0, shared: { file, stepsPerMs: 1 } }, null, () => {})
  let isMeasured = false
  const [during, after] = [new Set(), new Set()]
  context.measure = async (work) => {
    isMeasured = true
    const result = await Context.prototype.measure.call(context, work)
    isMeasured = false
    return /** @type {any} */ (result)
  }
  context.check = (holds, otherwise) => {
    assert.ok(holds, otherwise);
    (isMeasured ? during : after).add(otherwise)
  }
  const { extra } = await run(context)
  assert.ok(extra.runs > 1)
  assert.deepEqual([...during].filter((what) => /answer/.test(what)), [])
  for (let i = 0; i < params.count; i++) assert.ok(after.has(`the answer to call ${i} is not its id with the prefix`), `${i}: ${[...after]}`)
})

test('two copies of the addon do not take each other\'s pools', async (t) => {
  const file = await addonFor(t)
  if (file === null) return
  const copy = path.join(makeDir(t), 'copy.node')
  fs.copyFileSync(file, copy)
  const [one, again, other] = [file, file, copy].map(loadAddon)
  assert.equal(again, one, 'an environment of it lasts as long as the thread: there must be one')
  const pool = new one.HookPool()
  const hook = (/** @type {string} */ id) => id
  const lane = { depth: 1, batch: 1, turnMicros: 1000 }
  assert.throws(() => registerHook(other, pool.key, hook, lane), { code: 'HOOK_UNKNOWN_POOL' })
  registerHook(again, pool.key, hook, lane)
  assert.equal(pool.lanes, 1)
  pool.stop()
  assert.throws(() => registerHook(one, pool.key, hook, lane), { code: 'HOOK_UNKNOWN_POOL' })
})

test('where the cache cannot be made the addon is built in a temporary folder', { skip: process.platform !== 'linux' && 'no /proc' }, async (t) => {
  const build = path.join(__dirname, '..', '..', 'scenarios', 'hook-calls', 'build.js')
  const { stdout, stderr } = await startNode(t, ['-p', `require(${JSON.stringify(build)}).cacheDir()`], { env: { XDG_CACHE_HOME: '/proc/nothing', TMPDIR: makeDir(t) } }).closed
  assert.match(stdout, /loopwatch-hook-calls-/, stderr)
})
