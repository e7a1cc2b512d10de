'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode, FIXTURES } = require('../support/app')

const LIB = JSON.stringify(path.join(__dirname, '..', '..', 'lib'))
const HOLD = JSON.stringify(path.join(FIXTURES, 'cpu-hold.js'))

/**
 * What a process writes as JSON that runs the body of an async function.
 * @param {import('node:test').TestContext} t
 * @param {string} body
 */
async function resultOf (t, body) {
  const code = `
const { allow, expectNoBlocks, start } = require(${LIB})
const { hold } = require(${HOLD})
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })
const report = (error) => ({ code: error.code, message: error.message, cause: error.cause })
;(async () => { ${body} })().then((result) => process.stderr.write(JSON.stringify(result)))`
  const { stdout, stderr } = await startNode(t, ['-e', code]).closed
  try {
    return { ...JSON.parse(stderr), stdout }
  } catch {
    throw new Error(`no result: ${stderr}`)
  }
}

test('an allowed block is counted as allowed and not logged; the next one is', async (t) => {
  const { value, metrics, allowed, stdout } = await resultOf(t, `
    const agent = start({ port: false })
    await agent.ready
    await sleep(100)
    const allowed = []
    agent.on('block', ({ id, allowed: reason, durationMs }) => {
      if (durationMs >= 150) allowed.push({ id, reason })
    })
    const value = agent.allow(() => { hold(150); return 7 }, 'the index is built once')
    await sleep(100)
    hold(150)
    const count = (isAllowed) => allowed.filter(({ reason }) => (reason !== null) === isAllowed).length
    // On a busy machine there may be others.
    while (count(true) < 1 || count(false) < 1) await sleep(20)
    const metrics = await agent.metrics()
    await agent.stop()
    return { value, metrics, allowed }`)
  assert.equal(value, 7)
  assert.deepEqual(new Set(allowed.map((/** @type {any} */ { reason }) => reason)), new Set(['the index is built once', null]))
  assert.match(metrics, /loopwatch_block_duration_seconds_count\{thread="main",cause="allowed"\} 1/)
  const isLogged = (/** @type {any} */ { id }) => stdout.includes(`"settled","block":"${id}"`)
  const [before, after] = [true, false].map((isAllowed) =>
    allowed.filter((/** @type {any} */ { reason }) => (reason !== null) === isAllowed).some(isLogged))
  assert.deepEqual({ before, after }, { before: false, after: true }, stdout)
})

test('many short allowed calls in a row are an allowed block', async (t) => {
  const { allowed } = await resultOf(t, `
    const agent = start({ port: false, log: false })
    await agent.ready
    await sleep(100)
    const allowed = []
    agent.on('block', (record) => { if (record.durationMs >= 300) allowed.push(record.allowed) })
    const end = performance.now() + 300
    let sum = 0
    // Most of the time has to be within the calls, also where a clock is slow to read.
    while (performance.now() < end) allow(() => { for (let i = 0; i < 5000; i++) sum += Math.sqrt(i) }, 'tiny')
    // On a busy machine there may be others.
    while (!allowed.includes('tiny')) await sleep(20)
    await agent.stop()
    return { allowed }`)
  assert.ok(allowed.includes('tiny'))
})

test('the plain calls work before start() and after stop(), and name what is wrong with their arguments', async (t) => {
  const seen = await resultOf(t, `
    const values = [allow(() => 1, 'x')]
    const before = await expectNoBlocks(async () => hold(200), { overMs: 50 }).catch(report)
    values.push(await expectNoBlocks(async () => 2, { overMs: 5000 }))
    await start({ port: false, log: false, profile: 'off' }).stop()
    values.push(allow(() => 3, 'x'))
    const after = await expectNoBlocks(() => hold(200)).catch(report)
    const allowed = await expectNoBlocks(() => allow(() => { hold(200); return 4 }, 'x')).catch(report)
    const own = await expectNoBlocks(() => { throw new RangeError('own') }).catch(report)
    const bad = []
    for (const call of [() => allow(1, 'x'), () => allow(() => {}), () => expectNoBlocks(1),
      () => expectNoBlocks(() => {}, { over: 1 }), () => expectNoBlocks(() => {}, { overMs: '50ms' })]) {
      bad.push(await Promise.resolve().then(call).catch(report))
    }
    const agent = start({ port: false, log: false, threshold: 100 })
    const below = await agent.expectNoBlocks(() => {}, { overMs: 50 }).catch(report)
    await agent.stop()
    const stopped = await agent.expectNoBlocks(() => {}).catch(report)
    return { values, before, after, allowed, own, bad, below, stopped }`)
  assert.deepEqual(seen.values, [1, 2, 3])
  for (const error of [seen.before, seen.after]) {
    assert.equal(error?.code, 'LOOPWATCH_ERR_BLOCKED')
    assert.ok(error.cause.durationMs >= 150, `${error.cause.durationMs} ms`)
    // Where the wait for a CPU was longer than the call, no line is to blame.
    if (error.cause.cause === 'starved') continue
    assert.equal(error.cause.frame.function, 'hold')
    assert.match(error.message, /more than 50 ms: (?:≈ )?hold \(.*cpu-hold\.js:\d+\)/)
  }
  assert.equal(seen.allowed, 4)
  assert.equal(seen.own.message, 'own')
  assert.deepEqual(seen.bad.map((/** @type {any} */ error) => error.message), [
    'allow() takes a function, got 1',
    'reason of allow() takes some words, got undefined',
    'expectNoBlocks() takes a function, got 1',
    'unknown option "over", did you mean "overMs"?',
    'option "overMs" of expectNoBlocks() takes a number of milliseconds from 2 to 60000 (blocks below the option "threshold" are not seen), got "50ms"'
  ])
  assert.match(seen.below.message, /from 100 to 60000/)
  assert.equal(seen.stopped.code, 'LOOPWATCH_ERR_UNWATCHED')
})

test('expectations at the same time share the agent that starts for them', async (t) => {
  const { values } = await resultOf(t, `
    const values = await Promise.all([
      expectNoBlocks(() => sleep(5).then(() => 'short'), { overMs: 5000 }).catch(report),
      expectNoBlocks(() => sleep(500).then(() => 'long'), { overMs: 2000 }).catch(report)
    ])
    return { values }`)
  assert.deepEqual(values, ['short', 'long'])
})

test('an expectation knows of every block, though memory keeps fewer', async (t) => {
  const { blocked, calm } = await resultOf(t, `
    const agent = start({ port: false, log: false, keep: 1, threshold: 20 })
    const many = (...all) => async () => {
      for (const ms of all) {
        hold(ms)
        await sleep(60)
      }
      return all.length
    }
    const blocked = await agent.expectNoBlocks(many(200, 40, 40), { overMs: 150 }).catch(report)
    const calm = await agent.expectNoBlocks(many(40, 40), { overMs: 2000 }).catch(report)
    await agent.stop()
    return { blocked, calm }`)
  assert.equal(blocked.code, 'LOOPWATCH_ERR_BLOCKED')
  assert.ok(blocked.cause.durationMs >= 150)
  assert.equal(calm, 2)
})

test('in a worker thread allow() runs its function, and expectNoBlocks() says that nobody watches', async (t) => {
  const { told } = await resultOf(t, `
    const { Worker } = require('node:worker_threads')
    start({ port: false, log: false })
    const worker = new Worker(\`
      const { parentPort } = require('node:worker_threads')
      const agent = require(${LIB.replaceAll('\\', '\\\\')}).start()
      const value = agent.allow(() => 5, 'x')
      agent.expectNoBlocks(() => {}).catch(({ code }) => parentPort.postMessage([value, code]))\`, { eval: true })
    const told = await new Promise((resolve) => worker.once('message', resolve))
    await worker.terminate()
    return { told }`)
  assert.deepEqual(told, [5, 'LOOPWATCH_ERR_UNWATCHED'])
})
