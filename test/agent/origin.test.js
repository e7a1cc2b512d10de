'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { TRACKING, TRACK, ORIGIN } = require('../lib/bridge/messages')
const { FrameTable } = require('../lib/explain/frame-table')
const { describe } = require('../lib/export/describe')
const { checkHunt } = require('../lib/host/hunt')
const { OriginTracker } = require('../lib/host/origin')
const { isHookSafe } = require('../lib/host/runtime')
const { Origins } = require('../lib/watchdog/origins')
const { startNode, FIXTURES } = require('./support/app')
const { makeRecord } = require('./support/record')

const APP = 'origin-app.js'
/** The application blocks for 200 ms; what a busy machine adds elsewhere must not count. */
const THRESHOLD_MS = 120

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
    const hunt = agent.hunt({ seconds: 2 })
    planTimer()
    await sleep(500)
    await planPromise()
    await sleep(400)
    gauges.push(await gauge())
    const result = await hunt
    gauges.push(await gauge())
    const { id } = records.find(({ origin }) => origin?.type === 'Timeout')
    const served = await (await fetch(url + '/blocks/' + id)).json()
    say({ records: records.filter(({ origin }) => origin), result, gauges, served: served.origin.frame.function })`)
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
  assert.deepEqual([on.level, on.reason, on.seconds], [40, 'hunt', 2])
  assert.match(on.msg, /^origin tracking is on for 2 s \(agent\.hunt\(\)\); throughput suffers/)
  const off = log.find(({ event }) => event === 'origin_tracking_off')
  assert.equal(off.ended, 'time')
  assert.match(off.msg, /off after 2(\.\d)? s: slow callbacks created at planTimer \(origin-app\.js:\d+\), planPromise/)
  assert.ok(log.some(({ event, origin }) => event === 'closed' && origin?.frame.function === 'planTimer'))
})

test('Error.stackTraceLimit and prepareStackTrace are the application\'s in the window and after it', async (t) => {
  for (const [first, meanwhile, after] of [
    ['', '', 10], ['Error.stackTraceLimit = 3', '', 3], ['delete Error.stackTraceLimit', '', null],
    ['', 'Error.stackTraceLimit = 7', 7], ['', 'delete Error.stackTraceLimit', null], ["Object.defineProperty(Error, 'stackTraceLimit', { value: 4, enumerable: false, configurable: true })", '', 4]
  ]) {
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
  }
})

test('what the application does to stacks neither breaks the window nor is broken by it', async (t) => {
  for (const prepare of ["() => { throw new Error('mine') }", '(error, sites) => sites', '() => undefined']) {
    const { said } = await run(t, `
      Error.prepareStackTrace = ${prepare}
      const hunt = agent.hunt({ seconds: 1 })
      planTimer()
      await sleep(400)
      await planPromise()
      const { found } = await hunt
      say({ found: found >= 2, kept: String(Error.prepareStackTrace) })`, { log: false })
    assert.deepEqual(said, { found: true, kept: prepare })
  }
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
    const isLoaded = () => Object.keys(require.cache).some((file) => /blocked-at/.test(file))
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
  assert.deepEqual(said, { codes: ['LOOPWATCH_ERR_OPTION', 'LOOPWATCH_ERR_OPTION_UNKNOWN'], inWorker: { found: 0, refused: 'origins of the main thread alone are tracked' } })
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
    planTimer()
    await sleep(500)
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
  for (const origin of ['auto', 'on']) {
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
  }
})

test('blocks that come again outside any request open a window by themselves, which ends once it knows', async (t) => {
  const { log } = await run(t, `
    const every = setInterval(planTimer, 700)
    const gauge = async () => /^loopwatch_origin_tracking (\\d)$/m.exec(await agent.metrics())[1]
    for (const wanted of ['1', '0']) {
      while (await gauge() !== wanted) await sleep(50)
    }
    clearInterval(every)
    await agent.stop()`)
  const on = log.filter(({ event }) => event === 'origin_tracking_on')
  assert.deepEqual(on.map(({ reason, seconds }) => [reason, seconds]), [['auto', 10]])
  assert.match(on[0].msg, /for 10 s \(3 blocks in hold \(.*origin-app\.js:\d+\) outside any request\)/)
  const off = log.find(({ event }) => event === 'origin_tracking_off')
  assert.equal(off.ended, 'found')
  assert.match(off.msg, /early, with what was looked for: slow callbacks created at planTimer/)
})

test('hooks are refused where they could end the application (CVE-2025-59466)', async (t) => {
  for (const [version, safe] of /** @type {[string, boolean][]} */ ([
    ['18.20.8', false], ['20.19.5', false], ['20.20.0', true], ['21.7.3', false], ['22.21.1', false], ['22.22.0', true], ['23.11.0', false],
    ['24.0.0', false], ['24.12.0', false], ['24.13.0', true], ['25.2.1', false], ['25.3.0', true], ['26.0.0', true], ['26.10.0', true]
  ])) assert.equal(isHookSafe(version), safe, version)

  /** @type {any[]} */
  const sent = []
  const tracker = new OriginTracker({ origin: 'on', threshold: 50 }, (message) => sent.push(message), '24.12.0')
  tracker.begin()
  const { found, refused } = await tracker.hunt(10)
  assert.equal(found, 0)
  assert.match(`${refused}`, /24\.12\.0 has CVE-2025-59466/)
  assert.deepEqual(sent.map(({ code, open, failure }) => [code, open, failure]), Array(2).fill([TRACKING, false, refused]))
})

test('on such a version the log says so once, and the application goes on', async (t) => {
  for (const origin of ['auto', 'on', 'off']) {
    const { said, log } = await run(t, 'say([await agent.hunt({ seconds: 1 }), await agent.hunt({ seconds: 1 })]); await agent.stop()', { origin }, ['-r', path.join(FIXTURES, 'old-node.js')])
    for (const { refused } of said) assert.match(refused, /CVE-2025-59466/)
    assert.equal(log.filter(({ event, reason }) => event === 'degraded' && reason === 'origin').length, 1)
    assert.equal(log.filter(({ event }) => event === 'origin_tracking_on').length, 0)
  }
})

/** The watchdog's side on a made-up host. */
function makeOrigins () {
  /** @type {any[]} */
  const said = []
  /** @type {any[]} */
  const posted = []
  const origins = new Origins({
    isAuto: true,
    frames: new FrameTable((frame) => frame),
    post: (message) => posted.push(message),
    say: (level, fields, message) => said.push({ level, ...fields, message }),
    onState: (failure) => said.push({ failure })
  })
  const tell = (/** @type {number} */ startMs, /** @type {number} */ endMs, /** @type {string} */ file, name = 'plan') =>
    origins.receive({ code: ORIGIN, startMs, endMs, type: 'Timeout', frames: [{ function: name, file, line: 1, column: 1 }] })
  return { origins, said, posted, tell }
}

test('a block gets the origin of the callback that made most of it, the innermost of those around one another', () => {
  const { origins, tell } = makeOrigins()
  tell(100, 160, '/srv/first.js')
  tell(160, 400, '/srv/inner.js')
  tell(159, 401, '/srv/outer.js')
  assert.equal(origins.within(95, 405)?.frame.file, '/srv/inner.js')
  assert.equal(origins.within(98, 165)?.frame.file, '/srv/first.js')
  assert.equal(origins.within(500, 600), null)
  assert.equal(origins.within(300, 800), null, 'too little of it')
})

test('operations of Node\'s own are no origin, and their frames are left out before the application\'s', () => {
  const { origins, tell } = makeOrigins()
  tell(0, 100, 'node:_http_server')
  assert.equal(origins.within(0, 100), null)
  origins.receive({ code: ORIGIN, startMs: 0, endMs: 100, type: 'Timeout', frames: ['node:internal/timers', 'node:timers', '/srv/node_modules/queue/index.js', '/srv/jobs.js', 'node:events'].map((file) => ({ function: 'f', file, line: 1, column: 1 })) })
  const origin = origins.within(0, 100)
  assert.deepEqual(origin?.frames.map(({ file }) => file), ['/srv/node_modules/queue/index.js', '/srv/jobs.js', 'node:events'])
  assert.equal(origin?.frame.file, '/srv/jobs.js')
})

test('origins without end take bounded memory, the latest stay', () => {
  const { origins, tell } = makeOrigins()
  for (let i = 0; i < 1000; i++) tell(i * 10, i * 10 + 10, '/srv/jobs.js')
  assert.equal(origins.within(0, 10), null)
  assert.ok(origins.within(9990, 10000))
})

test('what the host says of its windows is logged, and unknown messages are let go', () => {
  const { origins, said } = makeOrigins()
  origins.receive({ code: 99 })
  origins.receive({ code: TRACKING, open: false, ended: 'time', failure: null })
  assert.deepEqual(said, [])
  origins.receive({ code: TRACKING, open: true, reason: 'auto', seconds: 10, why: '3 blocks', failure: null })
  assert.equal(origins.isTracking, true)
  origins.receive({ code: TRACKING, open: false, ended: 'load', failure: null })
  assert.equal(origins.isTracking, false)
  assert.match(said.at(-1).message, /off after 0 s, early, because tracking kept the event loop busy \(utilization above 0\.8\): no slow callback/)
})

test('the watchdog asks the host for a window, and ends it', () => {
  const { origins, posted } = makeOrigins()
  const beat = (/** @type {number} */ second) => origins.look(second * 1000, { beats: second, atMs: second * 1000, activeMs: 0, idleMs: second * 1000, periodMs: 25 })
  for (let second = 0; second < 7; second++) beat(second)
  for (let i = 0; i < 3; i++) origins.settled(makeRecord({ request: null }))
  // Blocks are dated by the real clock, which is far beyond these seconds.
  beat(7)
  assert.deepEqual(posted.map(({ code, open, seconds }) => [code, open, seconds]), [[TRACK, true, 10]])
})

test('the sentence about a block says where its operation was created', () => {
  const frame = { function: 'plan', file: '/srv/jobs.js', line: 3, column: 17 }
  assert.equal(describe(makeRecord({ request: null, origin: { type: 'Timeout', durationMs: 300, frame, frames: [frame] } })),
    'event loop was blocked for 312 ms: report (report.js:41), created at plan (jobs.js:3) (js)')
})

test('a block of an earlier version\'s file, without an origin, is described as well', () => {
  const { origin, ...earlier } = makeRecord()
  assert.equal(describe(/** @type {any} */ (earlier)), describe(makeRecord()))
})
