'use strict'

// Faults that take a whole process, or a cluster of them. TEST_FAULTS=full runs them at full length.
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { readBlocks } = require('../../lib/store/block-file')
const { startApp, startNode, eventually, FIXTURES } = require('../support/app')
const { startCluster } = require('../support/cluster')
const { parseExposition } = require('../support/exposition')
const { makeDir } = require('../support/files')
const { measured } = require('../support/fault-results')
const { needs } = require('../support/tools')

const IS_FULL = process.env.TEST_FAULTS === 'full'
const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
const MAIN = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const HARM = path.join(FIXTURES, 'harm.js')
const HOUR_MS = 3600e3
const HOLD = 'function hold (ms) { const [end, from] = [performance.now() + ms, process.cpuUsage()]; while (performance.now() < end || process.cpuUsage(from).user < ms * 500); }'

/**
 * @param {import('../support/exposition').Sample[]} samples
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
const sumOf = (samples, name, labels = {}) =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    )
    .reduce((sum, { value }) => sum + value, 0)

test('killed in mid-block, its file cut short or padded by a power cut: every record but the cut one is read', async (t) => {
  const dir = makeDir(t)
  const app = await startApp(t, { options: { dir } })
  // On a busy machine no code may be to blame for the first.
  await eventually(async () => {
    await app.get('/spin?ms=400')
    return app.lines().some(({ event, frame }) => event === 'settled' && frame?.function === 'spin')
  }, 'the first block to end')
  app.get('/forever').catch(() => {}) // answered by nobody
  await app.line(({ event, frame }) => ['opened', 'lasting'].includes(event) && frame?.function === 'forever', 'the block in which it is killed')
  // Each has a thread of its own that writes: a line of the log may come first.
  const functions = () => readBlocks(dir).records.map(({ frame, ongoing }) => `${frame?.function}${ongoing ? ' in progress' : ''}`)
  await eventually(() => functions().includes('forever in progress'), () => `its record: ${functions()}`)
  app.child.kill('SIGKILL')
  await app.closed

  const whole = functions()
  assert.ok(whole.includes('spin') && whole.includes('forever in progress'), `${whole}`)
  const [file] = fs.readdirSync(dir).map((name) => path.join(dir, name))
  const bytes = fs.readFileSync(file)
  const lastLine = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  const earlier = bytes.subarray(0, lastLine).toString().trim().split('\n').map((line) => JSON.parse(line).id)
  // Cut anywhere within the last line, or left with the blocks of the disk that were never written.
  const cuts = [lastLine + 1, lastLine + 20, Math.floor((lastLine + bytes.length) / 2), bytes.length - 2].map((at) =>
    bytes.subarray(0, at)
  )
  for (const left of [...cuts, Buffer.concat([cuts[1], Buffer.alloc(4096)])]) {
    fs.writeFileSync(file, left)
    const { records, broken } = readBlocks(dir)
    assert.equal(broken, 1)
    assert.deepEqual(new Set(records.map(({ id }) => id)), new Set(earlier))
  }
  const { stdout, stderr, code } = await startNode(t, [MAIN, 'blocks', '--json', dir]).closed
  assert.equal(code, 0)
  assert.match(stdout, /"function":"spin"/)
  assert.match(stderr, /skipped 1 broken line$/m)
  measured(t, `${whole.length} blocks after kill -9; cut short at 5 places, each time all but the cut line were read`)
})

test('a disk that is full under a running application is logged once and counted, and written again once there is room', async (t) => {
  if (!needs(t, 'prlimit')) return
  const dir = makeDir(t)
  const app = await startApp(t, { options: { dir } })
  const limit = (/** @type {string} */ bytes) => execFileSync('prlimit', ['--pid', `${app.child.pid}`, `--fsize=${bytes}:unlimited`])
  // A block that had no CPU of its own for most of its time has no line: there may have to be another.
  await eventually(async () => {
    await app.get('/spin?ms=80')
    return readBlocks(dir).records.some(({ frame }) => frame?.function === 'spin')
  }, 'a record on disk')
  const bytes = () => fs.readdirSync(dir).reduce((sum, name) => sum + fs.statSync(path.join(dir, name)).size, 0)
  limit(`${bytes() + 100}`)
  await app.get('/spin?ms=80')
  await app.line(({ event, reason }) => event === 'degraded' && reason === 'dir', 'the full disk in the log')
  await app.get('/spin?ms=80')
  const lost = () => eventually(async () => sumOf(parseExposition(await (await app.watchdog('/metrics')).text()).samples, 'loopwatch_events_dropped_total', { reason: 'record' }), 'lost records to be counted')
  const counted = await lost()
  limit('unlimited')
  await eventually(async () => {
    await app.get('/spin?ms=80')
    return app.lines().some(({ event, reason }) => event === 'recovered' && reason === 'dir')
  }, 'it to be written again')
  assert.equal(app.lines().filter(({ event, reason }) => event === 'degraded' && reason === 'dir').length, 1)
  const { broken } = readBlocks(dir)
  assert.ok(broken <= 1, `${broken} broken lines`)
  measured(t, `${counted} lines of records lost and counted by then, ${broken} cut short; written again without a restart`)
})

test('the wall clock is set forward and back, between blocks and within them: durations are true, counters only grow', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-r', HARM, '-e', `
    ${HOLD}
    const http = require('node:http')
    const { start } = require(${PACKAGE})
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    const agent = start({ port: 0, log: false, requests: 'on' })
    const server = http.createServer(async (request, response) => {
      harm.setClock(-${HOUR_MS})
      await sleep(50)
      response.end('ok')
    }).listen(0, '127.0.0.1')
    const made = []
    const scrapes = []
    const block = async (before, within) => {
      harm.setClock(before)
      await sleep(60)
      // It is dated when the watchdog first takes it for a block, before the clock is set within it or, starved, after.
      made.push({ startedAt: Date.now() }, { startedAt: Date.now() + within - before })
      hold(100)
      harm.setClock(within)
      hold(100)
      await sleep(150)
      scrapes.push(await agent.metrics())
    }
    agent.ready.then(async () => {
      await sleep(100)
      await block(0, 0)
      await block(${HOUR_MS}, ${HOUR_MS})
      await block(-${HOUR_MS}, -${HOUR_MS})
      await block(0, ${2 * HOUR_MS})
      await block(0, -${2 * HOUR_MS})
      harm.setClock(${HOUR_MS})
      await (await fetch('http://127.0.0.1:' + server.address().port)).text()
      await sleep(150)
      scrapes.push(await agent.metrics())
      const blocks = (await agent.blocks()).filter(({ startup, durationMs }) => !startup && durationMs >= 199).reverse()
      console.log(JSON.stringify({ made, blocks: blocks.map(({ startedAt, durationMs }) => ({ startedAt: Date.parse(startedAt), durationMs })), scrapes }))
      server.close()
      await agent.stop()
      process.exit()
    })`]).closed
  assert.equal(code, 0, stderr)
  const { made, blocks, scrapes } = JSON.parse(stdout)
  // An overloaded machine may add some of its own.
  assert.ok(blocks.length >= made.length / 2, JSON.stringify(blocks))
  for (const [i, { startedAt, durationMs }] of blocks.entries()) {
    // An hour is what must not be in it; a busy machine may add seconds.
    assert.ok(durationMs < 20_000, `block ${i} took ${durationMs} ms`)
    assert.ok(made.some((/** @type {any} */ own) => Math.abs(startedAt - own.startedAt) < 20_000), `block ${i} is said to have started at ${startedAt}`)
  }
  /** @type {import('../support/exposition').Sample[]} */
  let past = []
  for (const text of scrapes) {
    const { samples } = parseExposition(text)
    for (const { name, labels, value } of past.filter(({ name }) => /_(total|bucket|count|sum)$/.test(name))) {
      const now = samples.find(
        (sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels)
      )
      assert.ok(now !== undefined && now.value >= value && now.value < 1000, `${name} ${JSON.stringify(labels)}: ${value}, then ${now?.value}`)
    }
    past = samples
  }
  assert.equal(sumOf(past, 'loopwatch_http_request_duration_seconds_count'), 1)
  const requestS = sumOf(past, 'loopwatch_http_request_duration_seconds_sum')
  assert.ok(requestS >= 0.049 && requestS < 20, `the request took ${requestS} s`)
  const errors = blocks.map((/** @type {any} */ { durationMs }) => durationMs - 200)
  measured(t, `5 blocks of 200 ms, clock off by up to 2 h: ${blocks.map((/** @type {any} */ { durationMs }) => durationMs).join(', ')} ms (at most ${Math.max(...errors.map(Math.abs)).toFixed(1)} ms off)`)
})

test('ten thousand blocks per minute are each counted and written; the log shows a few and the number of the rest', async (t) => {
  const dir = makeDir(t)
  const count = IS_FULL ? 10_000 : 400
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    ${HOLD}
    const agent = require(${PACKAGE}).start({ port: 0, threshold: 2, dir: ${JSON.stringify(dir)}, log: { destination: ${JSON.stringify(path.join(dir, 'log'))} } })
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    let events = 0
    agent.on('block', () => events++)
    agent.ready.then(async () => {
      await sleep(200)
      const startMs = performance.now()
      for (let i = 0; i < ${count}; i++) {
        hold(3.2)
        // Two turns with a beat between them: without one, two blocks are one.
        await sleep(1)
        await sleep(1)
      }
      const tookMs = performance.now() - startMs
      await sleep(1500)
      const metrics = await agent.metrics()
      const kept = (await agent.blocks()).length
      await sleep(100)
      console.log(JSON.stringify({ tookMs, events, kept, metrics }))
      await agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const { tookMs, events, kept, metrics } = JSON.parse(stdout)
  const { samples } = parseExposition(metrics)
  const counted = sumOf(samples, 'loopwatch_block_duration_seconds_count', { thread: 'main' })
  const written = readBlocks(dir).records.filter(({ ongoing }) => !ongoing).length
  const lines = fs.readFileSync(path.join(dir, 'log'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  const settled = lines.filter(({ event }) => event === 'settled').length
  const suppressed = lines.reduce((sum, line) => sum + (line.suppressed ?? 0), 0)
  // At this threshold a machine that takes the CPU away makes blocks as well: those are on top.
  assert.ok(counted >= count, `${count} made, ${counted} counted`)
  // Between the last scrape and the end a busy machine makes a few more.
  const mayBe = counted * 1.02 + 5
  for (const [what, number] of Object.entries({ events, written, logged: settled + suppressed })) assert.ok(number >= counted && number <= mayBe, `${number} ${what}, ${counted} counted`)
  assert.equal(sumOf(samples, 'loopwatch_events_dropped_total', { reason: 'record' }), 0)
  assert.ok(kept >= Math.min(500, counted) && kept <= Math.min(500, mayBe), `${kept} in memory, ${counted} counted`)
  assert.ok(settled <= 30 + tookMs / 1000, `${settled} blocks in the log`)
  measured(t, `${count} made at ${Math.round(count / tookMs * 60e3).toLocaleString('en-US')} per minute: ${counted} counted, ${written} on disk, ${settled} in the log, ${suppressed} left out of it by number`)
})

test('workers of a cluster are killed and replaced one batch after the other: no block and no count is lost', async (t) => {
  const size = IS_FULL ? 64 : 8
  const batch = 4
  const app = await startCluster(t, { workers: batch, options: { keep: 1000 } })
  const joinedPids = () => app.joined().map(({ pid }) => pid)
  const said = () => `${joinedPids().length} workers came; ${app.out.stderr}`
  const fork = async () => {
    const count = joinedPids().length + batch
    app.tell({ fork: batch })
    await eventually(() => joinedPids().length === count, said, 60_000)
  }
  while (joinedPids().length < size) await fork()
  /** Blocks of main threads by worker, as listed and as counted. */
  const look = async () => {
    const listed = (await app.json('/blocks')).filter((/** @type {any} */ { ongoing, threadId, worker }) => !ongoing && threadId === 0 && worker !== null)
    /** @type {Record<string, number>} */
    const counted = {}
    const samples = await app.samples()
    for (const { name, labels, value } of samples) {
      if (name === 'loopwatch_block_duration_seconds_count' && labels.thread === 'main') counted[labels.worker] = (counted[labels.worker] ?? 0) + value
    }
    return { listed, counted, samples }
  }
  /**
   * Each has its block, listed and counted at the primary.
   * @param {number[]} pids
   * @param {Record<string, number>} before counted by worker before these came
   */
  const block = async (pids, before) => {
    for (const pid of pids) app.tell({ to: pid, spin: 200 })
    let saw = ''
    // Of what busy machines do to other turns there may be more; metrics come once a second, and with a worker they
    // would die.
    return eventually(async () => {
      const { listed, counted } = await look()
      const isSeen = (/** @type {number} */ pid) => {
        const own = listed.filter((/** @type {any} */ record) => record.pid === pid)
        return (
          // The time for which the agent itself keeps the thread within a block is not counted in it.
          own.some((/** @type {any} */ { startup, durationMs }) => !startup && durationMs >= 150) &&
          counted[own[0].worker] >= (before[own[0].worker] ?? 0) + own.length
        )
      }
      saw = JSON.stringify({
        pids,
        counted,
        listed: listed.map((/** @type {any} */ { pid, worker, durationMs }) => [pid, worker, durationMs])
      })
      return pids.every(isSeen) && counted
    }, () => `blocks: ${saw}`, 60_000)
  }
  const first = joinedPids()
  let longestScrapeMs = 0
  for (let i = 0; i < size; i += batch) {
    const victims = first.slice(i, i + batch)
    const counted = await block(victims, {})
    for (const pid of victims) process.kill(pid, 'SIGKILL')
    await fork()
    const fromMs = performance.now()
    const now = (await look()).counted
    longestScrapeMs = Math.max(longestScrapeMs, performance.now() - fromMs)
    for (const [worker, blocks] of Object.entries(counted)) assert.ok(now[worker] >= blocks, `worker ${worker}: ${blocks} blocks, then ${now[worker]}`)
    await block(joinedPids().slice(-batch), counted)
  }
  const samples = await eventually(async () => {
    const all = await app.samples()
    return sumOf(all, 'loopwatch_cluster_workers', { state: 'answering' }) === size && all
  }, 'all to answer', 60_000)
  assert.equal(joinedPids().length, 2 * size)
  assert.equal(sumOf(samples, 'loopwatch_cluster_worker_restarts_total'), size)
  const slots = new Set(samples.filter(({ name }) => name === 'loopwatch_process_resident_memory_bytes').map(({ labels }) => labels.worker))
  assert.deepEqual(slots, new Set(['primary', ...Array.from({ length: size }, (_, i) => `${i + 1}`)]))
  measured(t, `${size} workers, each killed once and replaced: the blocks of all ${2 * size} listed and counted, ${size} restarts, the slowest of ${size / batch} looks at the primary ${longestScrapeMs.toFixed(0)} ms`)
})

test('a watchdog that runs out of memory after it has worked: the application goes on, a warning says so, and the next one watches', async (t) => {
  const dir = makeDir(t)
  const { stdout, stderr, code } = await startNode(t, ['-r', HARM, '-e', `
    ${HOLD}
    const agent = require(${PACKAGE}).start({ port: 0, log: false, dir: ${JSON.stringify(dir)} })
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    const until = async (look) => { while (!await look()) await sleep(20) }
    const held = async () => (await agent.blocks()).filter(({ frame }) => frame?.function === 'hold')
    // On a busy machine no code may be to blame for the first.
    const holdUntilHeld = async () => {
      while ((await held()).length === 0) {
        hold(150)
        for (let i = 0; i < 50 && (await held()).length === 0; i++) await sleep(20)
      }
    }
    let turns = 0
    const alive = setInterval(() => turns++, 10)
    agent.ready.then(async ({ url }) => {
      await sleep(100)
      await holdUntilHeld()
      const [first] = await held()
      const died = new Promise((resolve) => harm.watchdogs[0].once('exit', resolve))
      const before = turns
      const fromMs = performance.now()
      harm.fillMemory()
      await died
      const diedMs = performance.now() - fromMs
      const turnsMeanwhile = turns - before
      await until(() => harm.watchdogs.length === 2)
      await new Promise((resolve) => harm.watchdogs[1].once('message', resolve))
      const backMs = performance.now() - fromMs
      const answer = await fetch(url + '/healthz').then(({ status }) => status, () => 0)
      await sleep(100)
      await holdUntilHeld()
      const [second] = await held()
      clearInterval(alive)
      console.log(JSON.stringify({ diedMs, backMs, turnsMeanwhile, answer, ids: [first.id, second.id], isSecond: second.id !== first.id }))
      await agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const { diedMs, backMs, turnsMeanwhile, isSecond } = JSON.parse(stdout)
  assert.ok(turnsMeanwhile >= 3, `the loop turned ${turnsMeanwhile} times in ${diedMs} ms`)
  assert.ok(isSecond)
  assert.match(stderr, /LOOPWATCH_WARN_WATCHDOG.*memory/i)
  assert.equal(stderr.match(/LOOPWATCH_WARN_WATCHDOG/g)?.length, 1)
  assert.equal(readBlocks(dir).records.filter(({ frame }) => frame?.function === 'hold').length >= 2, true, 'on disk')
  measured(t, `dead after ${diedMs.toFixed(0)} ms, the next one watched ${((backMs - diedMs) / 1000).toFixed(1)} s later; the loop turned ${turnsMeanwhile} times while it died`)
})
