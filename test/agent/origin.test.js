'use strict'

// Takes half a minute or more: hunts of some seconds, each in a process of its own.
// runtime: async hooks
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { checkHunt } = require('../../lib/host/origin/hunt')
const { startNode, FIXTURES } = require('../support/app')
const { eachOf } = require('../support/each-of')

const APP = 'origin-app.js'
/** The application blocks for 200 ms; what a busy machine adds elsewhere must not count. */
const THRESHOLD_MS = 120
/** So many processes wait beside each other for the end of a window, which lasts a second at least. */
const AT_ONCE = 3

/**
 * Runs a script in the application of the fixture; gives what it printed, apart from the log.
 * @param {import('node:test').TestContext} t
 * @param {string} script
 * @param {object} [options]
 * @param {string[]} [flags]
 */
async function run (t, script, options = {}, flags = []) {
  const ended = await startNode(t, [...flags, APP, JSON.stringify({ port: 0, requests: 'off', threshold: THRESHOLD_MS, ...options }), script]).closed
  const lines = ended.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  assert.deepEqual({ code: ended.code, stderr: ended.stderr.replace(/^.*Warning.*\n.*trace-warnings.*\n/m, '') }, { code: 0, stderr: '' })
  return { said: lines.find(({ name }) => name !== 'loopwatch'), log: lines.filter(({ name }) => name === 'loopwatch') }
}

test('a hunt names the function that created the timer or the promise that blocks, and nothing of the machinery', async (t) => {
  const { said, log } = await run(t, `
    const records = []
    agent.on('block', (record) => records.push(record))
    const gauge = async () => /^loopwatch_origin_tracking (\\d)$/m.exec(await agent.metrics())[1]
    const gauges = [await gauge()]
    const hunt = agent.hunt({ seconds: 4 })
    const ofType = (type) => records.some(({ origin, frame }) => origin?.type === type && frame !== null)
    // On a busy machine no code may be to blame for the first.
    for (let i = 0; i < 20 && !ofType('Timeout'); i++) {
      planTimer()
      await sleep(500)
    }
    for (let i = 0; i < 20 && !ofType('PROMISE'); i++) {
      await planPromise()
      await sleep(400)
    }
    gauges.push(await gauge())
    const result = await hunt
    gauges.push(await gauge())
    const { id } = records.find(({ origin, frame }) => origin?.type === 'Timeout' && frame !== null)
    const served = await (await fetch(url + '/blocks/' + id)).json()
    say({ records: ['Timeout', 'PROMISE'].map((type) => records.find(({ origin, frame }) => origin?.type === type && frame !== null)), result, gauges, served: served.origin.frame.function })`)
  const [timer, promise] = said.records
  assert.equal(timer.frame.function, 'hold')
  assert.equal(timer.origin.type, 'Timeout')
  assert.equal(timer.origin.frame.function, 'planTimer')
  assert.equal(timer.origin.frame.file, path.join(FIXTURES, APP))
  assert.equal(timer.origin.frames[0].function, 'planTimer')
  assert.ok(timer.origin.durationMs >= 150, `${timer.origin.durationMs}`)
  assert.equal(promise.origin.type, 'PROMISE')
  assert.equal(promise.origin.frame.function, 'planPromise')
  for (const { file } of [...timer.origin.frames, ...promise.origin.frames]) assert.doesNotMatch(`${file}`, /async_hooks|blocked-at|[\\/]lib[\\/]/)
  assert.deepEqual(said.gauges, ['0', '1', '0'])
  assert.ok(said.result.found >= 2 && said.result.refused === null, JSON.stringify(said.result))
  assert.equal(said.served, 'planTimer')

  const on = log.find(({ event }) => event === 'origin_tracking_on')
  assert.deepEqual([on.level, on.reason, on.seconds], [40, 'hunt', 4])
  assert.match(on.msg, /^origin tracking is on for 4 s \(agent\.hunt\(\)\); tracking takes up to 100 ms/)
  const off = log.find(({ event }) => event === 'origin_tracking_off')
  assert.equal(off.ended, 'time')
  assert.match(off.msg, /off after \d+(\.\d)? s: slow callbacks created at planTimer \(\S*origin-app\.js:\d+\), planPromise/)
  assert.ok(log.some(({ event, origin }) => event === 'settled' && origin?.frame.function === 'planTimer'))
})

test('Error.stackTraceLimit and prepareStackTrace are the application\'s in the window and after it', async (t) => {
  /** @type {[string, string, number | null][]} */
  const cases = [
    ['', '', 10], ['Error.stackTraceLimit = 3', '', 3], ['delete Error.stackTraceLimit', '', null],
    ['', 'Error.stackTraceLimit = 7', 7], ['', 'delete Error.stackTraceLimit', null], ["Object.defineProperty(Error, 'stackTraceLimit', { value: 4, enumerable: false, configurable: true })", '', 4]
  ]
  await eachOf(cases, AT_ONCE, async ([first, meanwhile, after]) => {
    const { said } = await run(t, `
      ${first}
      const ofError = (name) => JSON.stringify(Object.getOwnPropertyDescriptor(Error, name)) ?? null
      const before = ofError('stackTraceLimit')
      const prepare = ofError('prepareStackTrace')
      const hunt = agent.hunt({ seconds: 1 })
      const unchanged = before === ofError('stackTraceLimit')
      planTimer()
      ${meanwhile}
      const { found } = await hunt
      say({ unchanged, found: found > 0, after: Error.stackTraceLimit ?? null, prepared: prepare === ofError('prepareStackTrace') })`, { log: false })
    assert.deepEqual(said, { unchanged: true, found: true, after, prepared: true }, `${first}; ${meanwhile}`)
  })
})

test('what the application does to stacks neither breaks the window nor is broken by it', async (t) => {
  await eachOf(["() => { throw new Error('mine') }", '(error, sites) => sites', '() => undefined'], AT_ONCE, async (prepare) => {
    const { said } = await run(t, `
      Error.prepareStackTrace = ${prepare}
      const hunt = agent.hunt({ seconds: 3 })
      planTimer()
      await sleep(400)
      await planPromise()
      const { found } = await hunt
      say({ found: found >= 2, kept: String(Error.prepareStackTrace) })`, { log: false })
    assert.deepEqual(said, { found: true, kept: prepare })
  })
  const { said } = await run(t, `
    Object.freeze(Error)
    const hunt = agent.hunt({ seconds: 1 })
    planTimer()
    say(await hunt)`, { log: false })
  assert.deepEqual(said, { found: 0, refused: null })
})

test('a stack overflow in a window is caught by the application, as ever', async (t) => {
  const { said } = await run(t, `
    const hunt = agent.hunt({ seconds: 1 })
    let caught = 0
    const deeper = () => { setImmediate(() => {}); Promise.resolve().then(() => {}); deeper() }
    for (let i = 0; i < 3; i++) {
      try { deeper() } catch (error) { if (error instanceof RangeError) caught++ }
      await sleep(50)
    }
    await hunt
    say(caught)`, { log: false })
  assert.equal(said, 3)
})

test('nothing of it is loaded before a window opens, and the hook is off after it', async (t) => {
  const { said } = await run(t, `
    const { executionAsyncId } = require('node:async_hooks')
    // A promise has an id of its own only while there is a hook.
    const hooked = () => new Promise((resolve) => setImmediate(resolve)).then(() => null).then(() => executionAsyncId() !== 0)
    const isLoaded = () => Object.keys(require.cache).some((file) => /origin.async-hook/.test(file))
    const before = [isLoaded(), await hooked()]
    const hunt = agent.hunt({ seconds: 1 })
    await sleep(50)
    const during = [isLoaded(), await hooked()]
    await hunt
    await sleep(50)
    say({ before, during, after: await hooked() })`, { log: false })
  assert.deepEqual(said, { before: [false, false], during: [true, true], after: false })
})

test('a second hunt prolongs the first, and both resolve at its end', async (t) => {
  const { said, log } = await run(t, `
    const startMs = performance.now()
    const first = agent.hunt({ seconds: 1 })
    const second = agent.hunt({ seconds: 2 })
    const shorter = agent.hunt({ seconds: 1 })
    planTimer()
    const results = await Promise.all([first, second, shorter])
    say({ results: results.map(({ found, refused }) => [found > 0, refused]), tookMs: performance.now() - startMs })`)
  assert.deepEqual(said.results, Array(3).fill([true, null]))
  assert.ok(said.tookMs >= 1990, `${said.tookMs}`)
  assert.deepEqual(log.filter(({ event }) => event === 'origin_tracking_off').map(({ ended, seconds }) => [ended, seconds >= 1.9]), [['time', true]])
})

test('hunt() takes 1 to 300 seconds and nothing else, in a worker thread too', async (t) => {
  const wrong = [undefined, null, 5, 'x', [], {}, { seconds: 0 }, { seconds: 0.9 }, { seconds: 301 }, { seconds: NaN }, { seconds: Infinity }, { seconds: '5' }, { seconds: null }]
  for (const value of wrong) assert.throws(() => checkHunt(value), { code: 'LOOPWATCH_ERR_OPTION' }, JSON.stringify(value))
  assert.throws(() => checkHunt({ second: 5 }), { code: 'LOOPWATCH_ERR_OPTION_UNKNOWN', message: 'unknown option "second", did you mean "seconds"?' })
  assert.deepEqual([checkHunt({ seconds: 1 }), checkHunt({ seconds: 300 })], [1, 300])

  const { said } = await run(t, `
    const codes = [{ seconds: 0 }, { sec: 1 }].map((options) => { try { agent.hunt(options) } catch ({ code }) { return code } })
    const { Worker } = require('node:worker_threads')
    const worker = new Worker('const agent = require(' + JSON.stringify(PACKAGE) + ').start(); agent.hunt({ seconds: 300 }).then((result) => require("worker_threads").parentPort.postMessage(result))', { eval: true })
    worker.on('message', (inWorker) => say({ codes, inWorker }))`, { log: false })
  assert.deepEqual(said, { codes: ['LOOPWATCH_ERR_OPTION', 'LOOPWATCH_ERR_OPTION_UNKNOWN'], inWorker: { found: 0, refused: 'origins are tracked on the main thread only' } })
})

test("origin: 'on' tracks from start() to stop(), and warns that it is for development", async (t) => {
  const { said, log } = await run(t, `
    const origin = new Promise((resolve) => agent.on('block', (record) => record.origin && resolve(record.origin)))
    planTimer()
    const { frame } = await origin
    const metrics = await agent.metrics()
    await agent.stop()
    say({ name: frame.function, gauge: /^loopwatch_origin_tracking (\\d)$/m.exec(metrics)[1] })`, { origin: 'on' })
  assert.deepEqual(said, { name: 'planTimer', gauge: '1' })
  assert.match(log.find(({ event, level }) => event === 'origin_tracking_on' && level === 40).msg, /on \(option origin: 'on', for development only\)/)
  assert.equal(log.find(({ event }) => event === 'origin_tracking_off').ended, 'stop')
})

test('stop() during a hunt ends it: the promise resolves, the hook is off, the process can end', async (t) => {
  const { said, log } = await run(t, `
    const hunt = agent.hunt({ seconds: 300 })
    const isFound = new Promise((resolve) => agent.on('block', ({ origin }) => origin && resolve()))
    planTimer()
    await isFound
    const stopping = agent.stop()
    const result = await hunt
    await stopping
    const { executionAsyncId } = require('node:async_hooks')
    await sleep(50)
    const isHooked = await Promise.resolve().then(() => executionAsyncId() !== 0)
    say({ result: [result.found > 0, result.refused], isHooked, again: await agent.hunt({ seconds: 5 }) })`)
  assert.deepEqual(said, { result: [true, null], isHooked: false, again: { found: 0, refused: 'the agent has been stopped' } })
  assert.equal(log.find(({ event }) => event === 'origin_tracking_off').ended, 'stop')
})

test('a hunt keeps no process alive', async (t) => {
  const { said } = await run(t, 'agent.hunt({ seconds: 300 }); say("done")', { log: false })
  assert.equal(said, 'done')
})

test('a lost watchdog ends a hunt; the option is heeded again by the next', async (t) => {
  await eachOf(['auto', 'on'], AT_ONCE, async (origin) => {
    const { said } = await run(t, `
      const { executionAsyncId } = require('node:async_hooks')
      const hooked = async () => { await sleep(50); return Promise.resolve().then(() => executionAsyncId() !== 0) }
      const hunt = agent.hunt({ seconds: 300 })
      await watchdogs[0].terminate()
      const result = await hunt
      const without = await hooked()
      while (watchdogs.length < 2) await sleep(20)
      await new Promise((resolve) => watchdogs[1].once('message', resolve))
      say({ result, without, again: await hooked(), gauge: /^loopwatch_origin_tracking (\\d)$/m.exec(await agent.metrics())[1] })`,
    { origin, log: false }, ['-r', path.join(FIXTURES, 'own-worker.js')])
    const isOn = origin === 'on'
    assert.deepEqual(said, { result: { found: 0, refused: null }, without: false, again: isOn, gauge: isOn ? '1' : '0' })
  })
})

test('blocks that come again outside any request open a window by themselves, which ends once it knows', async (t) => {
  const { log } = await run(t, `
    const every = setInterval(planTimer, 700)
    const gauge = async () => /^loopwatch_origin_tracking (\\d)$/m.exec(await agent.metrics())[1]
    let hasOrigin = false
    agent.on('block', ({ origin }) => { hasOrigin ||= origin?.frame.function === 'planTimer' })
    while (!hasOrigin) await sleep(50)
    while (await gauge() !== '0') await sleep(50)
    clearInterval(every)
    await agent.stop()`)
  const on = log.filter(({ event }) => event === 'origin_tracking_on')
  assert.deepEqual([on.at(-1).reason, on.at(-1).seconds], ['auto', 10])
  // A busy machine makes blocks of its own, for which a window opens as well.
  const ofMachine = '3 blocks outside application code'
  assert.match(on.at(-1).msg, new RegExp(`for 10 s \\(3 blocks in hold \\(.*origin-app\\.js:\\d+\\) outside any request or job\\)|${ofMachine}`))
  const off = log.findLast(({ event }) => event === 'origin_tracking_off')
  assert.equal(off.ended, 'found')
  assert.match(off.msg, /early: an origin was found: slow callbacks created at planTimer/)
})

for (const origin of ['auto', 'on']) {
  test(`origin: '${origin}': a turn of a million awaits is not held up, and the tracking goes on in later ones`, async (t) => {
    const { said } = await run(t, `
      const sum = async () => { let n = 0; for (let i = 0; i < 1_000_000; i++) n += await i; return n }
      const time = async () => { const startMs = performance.now(); await sum(); return performance.now() - startMs }
      const plainMs = await time()
      const hunt = agent.hunt({ seconds: 3 })
      const trackedMs = await time()
      await sleep(1100)
      planTimer()
      say({ plainMs, trackedMs, ...await hunt })`, { origin, log: false })
    // Without a budget it took 12 to 25 s.
    assert.ok(said.trackedMs < 3000 && said.found >= 1, JSON.stringify(said))
  })
}

test('on such a version the log says so once, and the application goes on', async (t) => {
  await eachOf(['auto', 'on', 'off'], AT_ONCE, async (origin) => {
    const { said, log } = await run(t, 'say([await agent.hunt({ seconds: 1 }), await agent.hunt({ seconds: 1 })]); await agent.stop()', { origin }, ['-r', path.join(FIXTURES, 'old-node.js')])
    for (const { refused } of said) assert.match(refused, /CVE-2025-59466/)
    assert.equal(log.filter(({ event, reason }) => event === 'degraded' && reason === 'origin').length, 1)
    assert.equal(log.filter(({ event }) => event === 'origin_tracking_on').length, 0)
  })
})
