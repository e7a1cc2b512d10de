'use strict'

// It takes half a minute, as it waits for an application to come to rest three times.
// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ownsProfile } = require('../../lib/host/runtime')
const { startNode, FIXTURES } = require('../support/app')

const APP = 'native-app.js'
const FILE = path.join(FIXTURES, APP)
/** What a busy machine adds elsewhere must not count. */
const THRESHOLD_MS = 40
/** Of the fixture. With this as a threshold, the profile starts on a busy machine, too. */
const SHORTEST_BLOCK_MS = 100

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
  // A block that waits for a CPU may have one of its two samples elsewhere.
  const exactOf = async (name) => {
    let record
    for (let i = 0; i < 5 && !(record?.frame?.exact && record.profile?.samples >= 2); i++) record = await recordOf(name)
    return record
  }
  const gauge = async () => /^loopwatch_profiling (\\d)$/m.exec(await agent.metrics())[1]
`

/** What a record must say of each: the call, and a line with that call in it. */
const CALLS = { parse: 'JSON.parse', parseLast: 'JSON.parse', sorted: 'sort', matched: '(regular expression)', derived: 'pbkdf2Sync' }

/** Where the call is not called so in the source. @type {Record<string, string>} */
const TEXTS = { matched: '.test(' }

/** @typedef {keyof typeof CALLS} Name */

/** @param {any} record @param {Name} name */
function assertLine (record, name) {
  const lines = fs.readFileSync(FILE, 'utf8').split('\n')
  assert.equal(record?.frame?.function, name, JSON.stringify(record))
  assert.equal(record.frame.file, FILE)
  assert.equal(record.frame.exact, true, JSON.stringify(record.frame))
  assert.ok(lines[record.frame.line - 1].includes(TEXTS[name] ?? `${CALLS[name]}(`), `line ${record.frame.line} of ${name}`)
}

/** @param {any} record @param {Name} name */
function assertExact (record, name) {
  assertLine(record, name)
  assert.equal(record.profile.call, CALLS[name], JSON.stringify(record))
  assert.equal(record.leaf.function, CALLS[name])
  assert.ok(record.profile.samples >= 2 && has(record.profile.stacks, name), JSON.stringify(record.profile))
}

test("with profile: 'on' JSON.parse, sort, a regular expression and pbkdf2Sync are named exactly, and the block's profile shows what its line says", async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const found = {}
    for (const name of ${JSON.stringify(Object.keys(CALLS))}) found[name] = await exactOf(name)
    const profile = await (await fetch(url + '/blocks/' + found.parse.id + '.cpuprofile')).json()
    say({ found, profile, gauge: await gauge() })
    await agent.stop()
    process.exitCode = 0`, { profile: 'on' })
  for (const name of /** @type {(keyof typeof CALLS)[]} */ (Object.keys(CALLS))) assertExact(said.found[name], name)
  assert.equal(said.gauge, '1')

  const { nodes, startTime, endTime } = said.profile
  const { durationMs, frame } = said.found.parse
  assert.ok(Math.abs((endTime - startTime) / 1000 - durationMs) <= 2, `${endTime - startTime} us of ${durationMs} ms`)
  const [heaviest] = nodes.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.hitCount - a.hitCount)
  const { functionName, lineNumber } = heaviest.callFrame
  assert.deepEqual([functionName, lineNumber + 1], [frame.function, frame.line])

  assert.equal(log.filter(({ event }) => event === 'profile_on').length, 1)
  assert.match(log.find(({ event, msg }) => event === 'settled' && msg.includes('JSON.parse in parse '))?.msg ?? '', /JSON\.parse in parse \(\S*native-app\.js:\d+\)/)
})

/** Whether a profile was running, and ended with stop(): none of ours is left in the inspector. */
const LEFT = `
  const { Session, console } = require('node:inspector')
  const session = new Session()
  let left = 0
  session.connect()
  session.post('Profiler.enable')
  session.on('Profiler.consoleProfileFinished', () => { left++ })
  console.profileEnd()
  session.disconnect()
  const handles = process.getActiveResourcesInfo().filter((name) => /Inspector|Message/.test(name))
`

test('by default the first block in a native call has its line, and the profile ends with stop()', async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    // Asking without a pause would keep a CPU busy, and make the start dear.
    if (!await until(async () => { await sleep(300); return await gauge() === '1' }, 40)) say({ isBusy: true })
    const taken = [await recordOf('parseLast')]
    // A block that waits for a CPU may have one of its two samples elsewhere.
    while (taken.length < 5 && !(taken.at(-1)?.frame?.exact && taken.at(-1).profile?.call)) taken.push(await recordOf('parseLast'))
    await agent.stop()
    ${LEFT}
    say({ taken, left, handles })`, { threshold: SHORTEST_BLOCK_MS })
  if (said.isBusy) return t.skip('the CPUs are taken')
  assert.deepEqual({ left: said.left, handles: said.handles }, { left: 0, handles: [] })
  for (const { frame } of said.taken) assert.equal(frame.function, 'parseLast')
  assertExact(said.taken.at(-1), 'parseLast')
  // A busy machine may make a long pause of it.
  const isNews = log.some(({ event, tookMs }) => event === 'profile_on' && tookMs < SHORTEST_BLOCK_MS)
  assert.equal(isNews, false, 'a start that nobody notices is not news')
  // Its own start is no block of the application.
  for (const { event, frame, stack } of log) assert.doesNotMatch(event === 'settled' ? `${frame?.file} ${stack}` : '', /profiler\.js/)
})

test('an application whose profile would take longer than a block to start has none by default', async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const record = await recordOf('sorted', 100)
    await sleep(2500)
    say({ gauge: await gauge(), profile: record?.profile ?? null })
    await agent.stop()`, {}, ['-r', path.join(FIXTURES, 'large-heap.js')])
  assert.deepEqual(said, { gauge: '0', profile: null })
  assert.equal(log.some(({ event }) => event === 'profile_on'), false)
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

test('where the inspector is refused, or its port is open, a profile of the inspector is not taken, and the log says once that the agent is degraded', {
  skip: ownsProfile() && 'v8.startCpuProfile() needs no inspector'
}, async (t) => {
  const script = 'await sleep(300); say({ metrics: await agent.metrics() })'
  const isPermitted = process.allowedNodeEnvironmentFlags.has('--permission')
  const flags = [isPermitted ? '--permission' : '--experimental-permission', '--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*']
  const [refused, inspected] = await Promise.all([
    startNode(t, [...flags, APP, JSON.stringify({ port: 0, profile: 'on' }), script]).closed,
    startNode(t, ['--inspect=127.0.0.1:0', APP, JSON.stringify({ port: 0, profile: 'on' }), script]).closed
  ])
  for (const { code, stdout } of [refused, inspected]) {
    assert.equal(code, 0)
    assert.match(stdout, /loopwatch_degraded\{reason=\\"profile\\"\} 1/)
    assert.match(stdout, /loopwatch_profiling 0/)
    assert.equal(stdout.match(/degraded \(profile\): no CPU profile is taken/g)?.length, 1, stdout)
  }
  assert.match(refused.stdout, /lines of native calls are approximate\. Cause: the permission model forbids the inspector/)
  assert.match(inspected.stdout, /lines of native calls are approximate\. Cause: an inspector port is open/)
})

test('the profile goes on while an inspector port is open', {
  skip: !ownsProfile() && 'a profile of the inspector would show up in a debugger'
}, async (t) => {
  const script = 'await sleep(300); say({ metrics: await agent.metrics() })'
  const { code, stdout } = await startNode(t, ['--inspect=127.0.0.1:0', APP, JSON.stringify({ port: 0, profile: 'on' }), script]).closed
  assert.equal(code, 0)
  assert.match(stdout, /loopwatch_profiling 1/)
})

const isLinux = process.platform === 'linux'
/** For each CPU: waiting for one then looks like work. */
const BUSY_LOAD = 4
const NAMES = Object.keys(CALLS)

test('where nothing may be asked, blocks have function and line from the profile at their end', { skip: !ownsProfile() && 'its v8.startCpuProfile() has no options' }, async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const found = {}
    for (const name of ${JSON.stringify(NAMES)}) found[name] = await exactOf(name)
    const { id } = found.derived
    const folded = await (await fetch(url + '/blocks/' + id + '.folded.txt')).text()
    say({ found, folded })
    await agent.stop()`, { profile: 'on' }, ['--permission', '--no-warnings', '--allow-worker', '--allow-net', '--allow-fs-read=*', '--allow-fs-write=*'])
  const lines = fs.readFileSync(FILE, 'utf8').split('\n')
  for (const name of /** @type {Name[]} */ (NAMES)) {
    const { frame, samples, profile } = said.found[name]
    assert.deepEqual(
      { function: frame?.function, exact: frame?.exact, samples },
      { function: name, exact: true, samples: 0 },
      JSON.stringify(said.found[name])
    )
    assert.ok(lines[frame.line - 1].includes(TEXTS[name] ?? `${CALLS[name]}(`), `line ${frame.line} of ${name}`)
    assert.ok(has(profile.stacks, name))
  }
  assert.equal(said.found.derived.profile.call, 'pbkdf2Sync')
  assert.match(said.folded, /derived.*pbkdf2Sync/)
  const degraded = log.filter(({ event }) => event === 'degraded')
  assert.deepEqual(degraded.map(({ reason }) => reason), ['inspector'])
  assert.match(degraded[0].msg, /^degraded \(inspector\): the main thread cannot be asked for its stack: no requests, and lines from a CPU profile at best\. Cause: the permission model forbids the inspector/)
})

/** @param {{ frames: { function: string | null }[] }[]} stacks @param {string} name */
const has = (stacks, name) => stacks.some(({ frames }) => frames.some((each) => each.function === name))

/** In the process itself: how often V8's thread that samples has woken up, and whether it rests. */
const RESTS = `
  const fs = require('node:fs')
  const wakeUps = () => fs.readdirSync('/proc/self/task').reduce((sum, tid) => {
    const status = fs.readFileSync('/proc/self/task/' + tid + '/status', 'utf8')
    return sum + (status.includes('ProfEvntProc') ? Number(/^voluntary_ctxt_switches:\\s*(\\d+)/m.exec(status)[1]) : 0)
  }, 0)
  const wakeUpsIn = async (ms) => { const before = wakeUps(); await sleep(ms); return wakeUps() - before }
  const rested = () => until(async () => await wakeUpsIn(500) <= 1, 100)
`

const ASKER = "process.stdin.once('data', (url) => setTimeout(() => fetch(String(url)).then(() => process.exit()), 1000))"

test('while the loop idles the profile rests; the first request out of idle has its line, and so has a timer that blocks, from its second time on', {
  skip: !(ownsProfile() && isLinux) && 'the profile rests where v8.startCpuProfile() has options; thread names are read on Linux'
}, async (t) => {
  const { said } = await run(t, `${BLOCK_OF}${RESTS}
    const server = require('node:http').createServer((request, response) => { blocks.parse(); response.end() }).listen(0, '127.0.0.1')
    await until(() => server.address())
    // From another process, and a second after it is told to: what asks makes work of its own.
    const asker = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(ASKER)}], { stdio: ['pipe', 'inherit', 'inherit'] })
    // Where others take the CPU, a process that only waits may rest before it is counted.
    const work = setInterval(() => { const endMs = performance.now() + 5; while (performance.now() < endMs); }, 10)
    if (!await until(async () => { await sleep(300); return await gauge() === '1' }, 40)) {
      asker.kill()
      await agent.stop()
      say({ isBusy: true })
      return process.exit()
    }
    const atWork = await wakeUpsIn(500)
    clearInterval(work)
    const first = await rested()
    const known = records.length
    asker.stdin.write('http://127.0.0.1:' + server.address().port)
    const ofRequest = await until(() => records.slice(known).find((record) => has([...record.stacks, ...record.profile?.stacks ?? []], 'parse')))
    let second, ofTimer
    // Something else may end the rest just before.
    for (let i = 0; i < 3 && ofTimer?.profile !== null; i++) {
      second = await rested()
      ofTimer = await recordOf('parse')
    }
    const ofNext = await exactOf('parse')
    await sleep(6000)
    const after = await wakeUpsIn(500)
    server.close()
    server.closeAllConnections()
    await agent.stop()
    say({ atWork, first, second, ofRequest, ofTimer, ofNext, after })`, { threshold: SHORTEST_BLOCK_MS })
  if (said.isBusy) return t.skip('the CPUs are taken')
  if (!(said.first && said.second && said.ofTimer && said.ofNext) && os.loadavg()[0] > BUSY_LOAD * os.availableParallelism()) return t.skip('a machine this busy leaves no rest')
  assert.deepEqual([said.first, said.second], [true, true], 'it did not rest')
  assert.ok(said.atWork >= 10, `${said.atWork} wake-ups in 500 ms of work`)
  // V8 leaves the frame of a built-in out of some samples, and a block out of idle has few.
  assertLine(said.ofRequest, 'parse')
  assert.equal(said.ofTimer.profile, null)
  assert.equal(said.ofTimer.frame.exact, false, 'a line without the profile is in doubt')
  assertExact(said.ofNext, 'parse')
  assert.ok(said.after >= 10, `it rests again: ${said.after} wake-ups in 500 ms`)
})
