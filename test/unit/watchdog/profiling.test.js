'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const inspector = require('node:inspector')
const path = require('node:path')
const { createMemory, openBridge } = require('../lib/bridge/bridge')
const { nowMs } = require('../lib/clock')
const { HostProfiler } = require('../lib/host/profiler')
const { Profiling } = require('../lib/watchdog/profiling')
const { FrameTable } = require('../lib/explain/frame-table')
const { startNode, FIXTURES } = require('./support/app')
const { makeRecord } = require('./support/record')

const APP = 'native-app.js'
const FILE = path.join(FIXTURES, APP)
/** What a busy machine adds elsewhere must not count. */
const THRESHOLD_MS = 40

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

/** Of each function of the fixture the record of its block. */
const BLOCK_OF = `
  const records = []
  agent.on('block', (record) => records.push(record))
  const until = async (look, tries = 1000) => { for (let i = 0; i < tries; i++) { const value = await look(); if (value) return value; await sleep(10) } }
  const has = (stacks, name) => stacks.some(({ frames }) => frames.some((each) => each.function === name))
  const recordOf = async (name, tries) => {
    const known = records.length
    await block(name)
    return until(() => records.slice(known).find(({ stacks, profile }) => has([...stacks, ...profile?.stacks ?? []], name) || has(stacks, 'block')), tries)
  }
  const gauge = async () => /^loopwatch_profiling (\\d)$/m.exec(await agent.metrics())[1]
`

/** What a record must say of each: the call, and a line with that call in it. */
const CALLS = { parse: 'JSON.parse', parseLast: 'JSON.parse', sorted: 'sort', matched: 'test', derived: 'pbkdf2Sync' }

/** @param {any} record @param {keyof typeof CALLS} name */
function assertExact (record, name) {
  const lines = require('node:fs').readFileSync(FILE, 'utf8').split('\n')
  assert.equal(record?.frame?.function, name, JSON.stringify(record))
  assert.equal(record.frame.file, FILE)
  assert.equal(record.frame.exact, true, JSON.stringify(record.frame))
  assert.ok(lines[record.frame.line - 1].includes(`${CALLS[name]}(`), `line ${record.frame.line} of ${name}`)
  assert.equal(record.profile.call, CALLS[name], JSON.stringify(record))
  assert.equal(record.leaf.function, CALLS[name])
  assert.ok(record.profile.samples >= 2 && record.profile.stacks.length > 0)
}

test("with profile: 'on' JSON.parse, sort, a regular expression and pbkdf2Sync are named exactly, and the block's profile is V8's own", async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const found = {}
    for (const name of ${JSON.stringify(Object.keys(CALLS))}) found[name] = await recordOf(name)
    const profile = await (await fetch(url + '/blocks/' + found.parse.id + '.cpuprofile')).json()
    const served = await (await fetch(url + '/blocks/' + found.parse.id)).json()
    say({ found, profile, samples: served.profile.samples, gauge: await gauge() })
    await agent.stop()
    process.exitCode = 0`, { profile: 'on' })
  for (const name of /** @type {(keyof typeof CALLS)[]} */ (Object.keys(CALLS))) assertExact(said.found[name], name)
  assert.equal(said.gauge, '1')

  const { nodes, samples, timeDeltas, startTime, endTime } = said.profile
  assert.equal(samples.length, said.samples)
  assert.equal(timeDeltas.length, samples.length)
  const ms = (endTime - startTime) / 1000
  assert.ok(Math.abs(ms - said.found.parse.durationMs) < 1, `${ms}`)
  const parse = nodes.find((/** @type {any} */ node) => node.callFrame.functionName === 'parse')
  assert.ok(parse.hitCount > 0 && parse.callFrame.url.endsWith(APP), JSON.stringify(parse))

  assert.equal(log.filter(({ event }) => event === 'profile_on').length, 1)
  assert.match(log.find(({ event, msg }) => event === 'closed' && msg.includes(': JSON.parse in '))?.msg ?? '', /JSON\.parse in parse \(native-app\.js:\d+\)/)
})

test("with profile: 'auto' it starts after two blocks in native calls, names the third, and is over with stop()", async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const gauges = [await gauge()]
    const before = []
    let started = false
    // On a busy machine a block may be charged to waiting for a CPU.
    for (let i = 0; i < 20 && !started; i++) {
      before.push(await recordOf('sorted', 100))
      await sleep(100)
      started = await gauge() === '1'
    }
    const third = await recordOf('parseLast')
    await agent.stop()
    const { Session, console } = require('node:inspector')
    const session = new Session()
    let left = 0
    session.connect()
    session.post('Profiler.enable')
    session.on('Profiler.consoleProfileFinished', () => { left++ })
    console.profileEnd()
    session.disconnect()
    say({ gauges, started, before: before.map((record) => record?.profile ?? null), causes: before.map((record) => record?.cause), third, left, handles: process.getActiveResourcesInfo().filter((name) => /Inspector|Message/.test(name)) })`, { profile: 'auto' })
  assert.deepEqual({ gauges: said.gauges, started: said.started, left: said.left, handles: said.handles }, { gauges: ['0'], started: true, left: 0, handles: [] }, JSON.stringify(said.causes))
  assert.deepEqual(said.before.slice(0, 2), [null, null])
  assertExact(said.third, 'parseLast')
  const on = log.find(({ event }) => event === 'profile_on')
  assert.match(on.msg, /^a CPU profile is being taken \(option profile: 'auto'\); to start it took \d+ ms of the application$/)
  // Its own start is no block of the application.
  for (const { event, frame, stack } of log) assert.doesNotMatch(event === 'closed' ? `${frame?.file} ${stack}` : '', /profiler\.js/)
})

test('with its end a profile is over for a session of the application, too, which has the profiler enabled', () => {
  const own = new inspector.Session()
  own.connect()
  own.post('Profiler.enable')
  /** @type {Set<string>} */
  const open = new Set()
  own.on('Profiler.consoleProfileStarted', (/** @type {any} */ { params }) => open.add(params.title))
  own.on('Profiler.consoleProfileFinished', (/** @type {any} */ { params }) => open.delete(params.title))
  const profiler = new HostProfiler({ counters: openBridge(createMemory()).counters }, () => {})
  profiler.run(inspector, 'start')
  profiler.run(inspector, 'take')
  assert.equal(open.size, 1)
  profiler.stop()
  own.disconnect()
  assert.equal(open.size, 0)
})

test('a process ends as ever while a profile is being taken', async (t) => {
  const ends = [['', 0, /^$/], ['process.exit(3)', 3, /^$/], ["setImmediate(() => { throw new Error('on purpose') })", 1, /Error: on purpose/]]
  await Promise.all(ends.map(async ([script, code, stderr]) => {
    const ended = await startNode(t, [APP, JSON.stringify({ port: 0, log: false, profile: 'on' }), `await sleep(100); ${script}`]).closed
    assert.equal(ended.code, code, ended.stderr)
    assert.match(ended.stderr, /** @type {RegExp} */ (stderr))
    assert.doesNotMatch(ended.stderr, /debugger/)
  }))
})

test('where the inspector is refused, and under a debugger, there is no profile: degraded, and said once', async (t) => {
  const script = 'await sleep(300); say({ metrics: await agent.metrics() })'
  const isPermitted = process.allowedNodeEnvironmentFlags.has('--permission')
  const flags = [isPermitted ? '--permission' : '--experimental-permission', '--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*']
  const [refused, debugged] = await Promise.all([
    startNode(t, [...flags, APP, JSON.stringify({ port: 0, profile: 'on' }), script]).closed,
    startNode(t, ['--inspect=127.0.0.1:0', APP, JSON.stringify({ port: 0, profile: 'on' }), script]).closed
  ])
  for (const { code, stdout } of [refused, debugged]) {
    assert.equal(code, 0)
    assert.match(stdout, /loopwatch_degraded\{reason=\\"profile\\"\} 1/)
    assert.match(stdout, /loopwatch_profiling 0/)
    assert.equal(stdout.match(/degraded: no CPU profile is taken/g)?.length, 1, stdout)
  }
  assert.match(refused.stdout, /told by the lines around them: the permission model forbids it/)
  assert.match(debugged.stdout, /told by the lines around them: a debugger is attached/)
})

/** @param {'auto' | 'on'} mode @param {string | null} [refusal] */
function makeProfiling (mode, refusal = null) {
  /** @type {any} */
  const story = { asked: [], said: [], states: [], holds: 0, micros: 0 }
  story.profiling = new Profiling({
    mode,
    refusal,
    ask: (action) => { story.asked.push(action); return story.failure ?? null },
    holds: () => story.holds,
    heldMicros: () => story.micros,
    sources: { frames: new FrameTable((frame) => frame), isInMemory: () => false },
    readSource: () => null,
    say: (level, fields, message) => story.said.push(message),
    onState: (failure) => story.states.push(failure?.message ?? null)
  })
  story.answer = (/** @type {object} */ differences) => story.profiling.receive({ action: story.asked.at(-1), isOn: true, tookMs: 12, failure: null, taken: null, ...differences })
  return story
}

const native = makeRecord({ cause: 'native', evidence: { ...makeRecord().evidence, nativeMs: 300 } })

test('an automatic profile begins between two blocks, and ends after five minutes without one in a native call', () => {
  const { profiling, asked, said, answer } = makeProfiling('auto')
  const now = nowMs()
  profiling.settled(native)
  profiling.settled(makeRecord())
  profiling.look(now, false)
  assert.deepEqual(asked, [])
  profiling.settled(native)
  profiling.look(now, true)
  assert.deepEqual(asked, [])
  profiling.look(now, false)
  profiling.look(now, false)
  assert.deepEqual(asked, ['start'])
  answer()
  assert.equal(profiling.isOn, true)
  profiling.look(now + 1000, false)
  profiling.look(now + 3000, true)
  assert.deepEqual(asked, ['start', 'take'])
  answer()
  profiling.look(now + 5 * 60 * 1000 + 1000, false)
  assert.deepEqual(asked, ['start', 'take', 'stop'])
  answer({ isOn: false })
  profiling.look(now + 6 * 60 * 1000, false)
  assert.equal(asked.length, 3)
  assert.equal(profiling.isOn, false)
  assert.match(said.at(-1), /^no CPU profile is taken any longer, after five minutes without a block in a native call, after \d+ s$/)
})

test('a profile whose start or taking keeps the application for long is given up, for good and said', () => {
  for (const action of ['start', 'take']) {
    const { profiling, asked, states, answer } = makeProfiling('on')
    const now = nowMs()
    profiling.look(now, false)
    if (action === 'take') {
      answer()
      profiling.look(now + 3000, false)
    }
    answer({ tookMs: 40000 })
    assert.equal(asked.at(-1), 'stop')
    answer({ action: 'stop', isOn: false })
    assert.equal(states.at(-1), `to ${action} it kept the application for 40000 ms`)
    const { length } = asked
    profiling.look(now + 1e9, false)
    assert.equal(asked.length, length)
    assert.equal(profiling.isOn, false)
  }
})

test('a profile that cannot be started is tried again a minute later; one that is refused never', () => {
  const story = makeProfiling('on')
  const now = nowMs()
  story.profiling.look(now, false)
  story.answer({ isOn: false, failure: 'a debugger is attached' })
  assert.deepEqual(story.states, ['a debugger is attached'])
  story.profiling.look(now + 50000, false)
  assert.equal(story.asked.length, 1)
  story.profiling.look(now + 70000, false)
  story.answer()
  assert.deepEqual(story.states, ['a debugger is attached', null])

  const refused = makeProfiling('on', 'forbidden')
  refused.profiling.look(now + 1e9, false)
  assert.deepEqual([refused.asked, refused.states], [[], ['forbidden']])
})

test('the time in which the profiler keeps the host is no silence', () => {
  const story = makeProfiling('on')
  const seen = (/** @type {number} */ atMs) => story.profiling.parts.adjust({ sample: null, gaps: [], reading: { atMs }, beat: { atMs: 0, beats: 7 } }).beat.atMs
  assert.equal(seen(60), 0)
  story.holds = 1
  assert.deepEqual([seen(100), seen(400)], [40, 340], 'from the look before on')
  story.holds = 2
  story.micros = 350000
  assert.deepEqual([seen(500), seen(600)], [350, 350])
  // One that does not come to its end.
  story.holds = 3
  assert.deepEqual([seen(1000), seen(5000), seen(7000), seen(8000)], [750, 4750, 350, 350])
})

test('profiles taken within a block move its beginning by what they held, and no more', () => {
  const story = makeProfiling('on')
  const look = (/** @type {number} */ atMs) => story.profiling.parts.adjust({ sample: null, reading: { atMs }, beat: { beats: 7, atMs: 1000 }, gaps: [] }).beat.atMs
  assert.equal(look(1010), 1000)
  story.holds++
  assert.equal(look(1020), 1010, 'a hold begins after the last look')
  assert.equal(look(1050), 1040, 'and goes on')
  story.holds++
  story.micros += 35000
  assert.equal(look(1060), 1035)
  for (let atMs = 3000; atMs < 60000; atMs += 2000) {
    story.holds += 2
    story.micros += 400
    look(atMs)
  }
  assert.ok(Math.abs(look(60000) - (1000 + 35 + 29 * 0.4)) < 0.01)
  // One that does not come to its end hides nothing for long.
  story.holds++
  look(61000)
  assert.ok(look(70000) < 1060)
})
