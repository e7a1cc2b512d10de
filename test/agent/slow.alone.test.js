'use strict'

// What makes an application slow although nothing blocks: a full thread pool, and a loop that is busy with short turns.
// runtime: names of threads, V8 profiles
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { setTimeout: sleep } = require('node:timers/promises')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')

const SERVER = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
const server = require('node:http').createServer((request, response) => answer(() => response.end('ok')))
server.listen(0, async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  const ask = () => fetch(url).then((response) => response.text())
  await agent.ready
  // A pool that was never used is not measured.
  await require('node:fs').promises.stat('.')
  await ask()
  process.stderr.write('ready\\n')
  const all = Array.from({ length: 16 }, ask)
  const highest = { threadPoolDelayMs: 0 }
  const events = []
  agent.on('slow', (incident) => events.push(incident))
  const timer = setInterval(() => {
    highest.threadPoolDelayMs = Math.max(highest.threadPoolDelayMs, agent.load().threadPoolDelayMs)
  }, 50)
  await Promise.all(all)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  clearInterval(timer)
  process.stderr.write(JSON.stringify({ metrics: await agent.metrics(), events, ...highest }) + '\\n')
  server.close()
  server.closeAllConnections()
  await agent.stop()
})
`

/**
 * @param {import('node:test').TestContext} t @param {string} answer body of `answer(done)`
 * @param {(dir: string) => Record<string, string> | void} [before]
 * @param {(app: ReturnType<typeof startNode>, dir: string) => void | Promise<void>} [onceStarted]
 */
async function serve (t, answer, before = () => {}, onceStarted = () => {}) {
  const dir = makeDir(t)
  const env = before(dir) ?? {}
  fs.writeFileSync(path.join(dir, 'app.js'), `${SERVER}\nfunction answer (done) { ${answer} }\n`)
  const app = startNode(t, [path.join(dir, 'app.js')], { cwd: dir, env })
  onceStarted(app, dir)
  const { stdout, stderr } = await app.closed
  const said = stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)).filter((/** @type {any} */ { event }) => /^(?:pool|busy)/.test(event))
  return { said, ...JSON.parse(stderr.trim().split('\n').at(-1) ?? '') }
}

/** @param {string} metrics */
const measured = (metrics) => Number(/^loopwatch_threadpool_delay_seconds_count\{kind="thread_pool"\} (\d+)$/m.exec(metrics)?.[1])

/** @param {string} metrics @param {string} kind */
const incidents = (metrics, kind) => Number(new RegExp(`^loopwatch_slow_incidents_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0)

test('a pool full of pbkdf2 is logged while it is full and when it has room, with the requests that waited', async (t) => {
  const { said, metrics, events, threadPoolDelayMs } = await serve(t, "require('node:crypto').pbkdf2('a', 'b', 400_000, 64, 'sha512', done)")
  assert.deepEqual(said.map((/** @type {any} */ { event }) => event), ['pool_full', 'pool_free'], JSON.stringify(said))
  const [full, free] = said
  assert.match(full.msg, /^the thread pool is full, work has been waiting for \d/)
  // The threads of the pool have a name of their own from Node.js 22 on.
  const isSeen = process.platform === 'linux' && Number.parseInt(process.versions.node, 10) >= 22
  assert.match(full.msg, isSeen ? /: [1-4] of 4 threads compute \(crypto, zlib, native modules\)$/ : /: crypto, zlib, native modules \(4 threads\)$/)
  assert.match(full.advice, /UV_THREADPOOL_SIZE/)
  assert.ok(free.requests >= 8 && free.longestMs >= 200, JSON.stringify(free))
  assert.match(free.msg, /^the thread pool was full for \d.*; work waited for up to \d.*, \d+ requests meanwhile$/)
  assert.equal(incidents(metrics, 'thread_pool'), 1)
  assert.deepEqual(events.map((/** @type {any} */ { kind, ongoing, message }) => ({ kind, ongoing, message })), [{ kind: 'thread_pool', ongoing: false, message: free.msg }])
  assert.ok(measured(metrics) >= 2, metrics)
  assert.ok(threadPoolDelayMs >= 200, `${threadPoolDelayMs}`)
})

// They take no CPU from each other.
describe('what only waits', { concurrency: 5 }, () => {
  test('a pool full of files that do not open is logged with their number', { skip: process.platform === 'win32' }, async (t) => {
    const open = "if (!answer.isReady) { answer.isReady = true; return done() } const fs = require('node:fs'); fs.open('pipe', 'r', (error, fd) => fs.close(fd, done))"
    const { said } = await serve(t, open, (dir) => {
      execFileSync('mkfifo', [path.join(dir, 'pipe')])
    }, async ({ out }, dir) => {
      await eventually(() => out.stdout.includes('"pool_full"'), () => `a full pool: ${out.stdout}`)
      // To open a pipe for reading takes until somebody opens it for writing.
      const writer = spawn('sh', ['-c', 'exec 3<>"$0"; sleep 60', path.join(dir, 'pipe')], { stdio: 'ignore' })
      t.after(() => writer.kill('SIGKILL'))
    })
    assert.equal(said[0]?.event, 'pool_full', JSON.stringify(said))
    assert.match(said[0].msg, /: \d+ file operations? \(4 threads\)$/)
    const files = (said[0].resources.FSReqCallback ?? 0) + (said[0].resources.FSReqPromise ?? 0)
    assert.ok(files >= 4, JSON.stringify(said[0]))
  })

  test('DNS lookups that wait for each other are logged, even if files do not wait', { skip: process.platform !== 'linux' }, async (t) => {
    const lookup = "if (!answer.isReady) { answer.isReady = true; return done() } require('node:dns').lookup('name.slow', done)"
    const { said, metrics } = await serve(t, lookup, (dir) => {
      const library = path.join(dir, 'slow-dns.so')
      execFileSync('cc', ['-shared', '-fPIC', '-o', library, path.join(ROOT, 'test', 'fixtures', 'slow-dns.c'), '-ldl'])
      return { LD_PRELOAD: library }
    })
    assert.deepEqual(said.map((/** @type {any} */ { event, kind }) => [event, kind]), [['pool_full', 'dns_lookups'], ['pool_free', 'dns_lookups']], JSON.stringify(said))
    assert.match(said[0].msg, /^DNS lookups have filled their half of the thread pool, one has been waiting for .*: \d+ DNS lookups \(2 of 4 threads\)$/)
    assert.match(said[0].advice, /dns\.resolve\(\)/)
    assert.ok(said[1].requests >= 8 && said[1].durationMs >= 2000, JSON.stringify(said[1]))
    assert.deepEqual(['thread_pool', 'dns_lookups'].map((kind) => incidents(metrics, kind)), [0, 1])
  })

  test('a loop that blocks, or a process that is stopped, is not taken for a full pool', { skip: process.platform === 'win32' }, async (t) => {
    const file = path.join(makeDir(t), 'blocks.js')
    fs.writeFileSync(file, `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
    const cell = new Int32Array(new SharedArrayBuffer(4))
    agent.ready.then(() => {
      // One piece of work at a time keeps the pool measured.
      const timer = setInterval(() => require('node:fs').stat('/', () => {}), 5)
      setTimeout(() => process.stderr.write('stop me\\n'), 1000)
      setTimeout(() => Atomics.wait(cell, 0, 0, 1500), 4000)
      setTimeout(() => { clearInterval(timer); agent.stop() }, 6500)
    })`)
    const { child, out, closed } = startNode(t, [file])
    await eventually(() => out.stderr.includes('stop me'), () => out.stderr)
    child.kill('SIGSTOP')
    await sleep(1500)
    child.kill('SIGCONT')
    const { stdout } = await closed
    assert.match(stdout, /"event":"block"|blocked for/)
    assert.doesNotMatch(stdout, /"pool_full"/)
  })

  test('requests that stay open while the loop rests do not keep the pool measured', { skip: process.platform !== 'linux' }, async (t) => {
    const file = path.join(makeDir(t), 'rests.js')
    fs.writeFileSync(file, `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false, requests: 'on' })
    const http = require('node:http')
    const server = http.createServer((request, response) => response.write('and more to come')).listen(0, async () => {
      await agent.ready
      // A pool that was never used is not measured.
      await require('node:fs').promises.stat('.')
      for (let i = 0; i < 4; i++) http.get({ port: server.address().port }, (response) => response.resume())
      const print = async () => process.stderr.write(await agent.metrics())
      setTimeout(print, 5000)
      setTimeout(() => print().then(() => process.exit()), 12000)
    })`)
    const { stderr } = await startNode(t, [file]).closed
    assert.match(stderr, /^loopwatch_http_requests_in_flight 4$/m)
    const counts = [...stderr.matchAll(/^loopwatch_threadpool_delay_seconds_count\{kind="thread_pool"\} (\d+)$/mg)].map(([, count]) => Number(count))
    const more = counts[1] - counts[0]
    // In 28 polls. It was seven a time when a loop at rest that turned once counted as one that turns.
    assert.ok(more <= 3, `${more} in seven seconds`)
  })

  test('a full pool is seen in a process without requests, and stop() does not wait for it', { skip: process.platform === 'win32' }, async (t) => {
    const dir = makeDir(t)
    execFileSync('mkfifo', [path.join(dir, 'pipe')])
    fs.writeFileSync(path.join(dir, 'stops.js'), `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
    agent.ready.then(() => {
      for (let i = 0; i < 8; i++) require('node:fs').open('pipe', 'r', () => {})
      setTimeout(async () => {
        const startMs = performance.now()
        await agent.stop()
        process.stderr.write(String(performance.now() - startMs))
        process.kill(process.pid, 'SIGKILL')
      }, 4000)
      setInterval(() => {}, 5)
    })`)
    const { stderr, stdout } = await startNode(t, [path.join(dir, 'stops.js')], { cwd: dir }).closed
    assert.match(stdout, /"pool_full"/)
    assert.ok(Number(stderr) < 5000, stderr)
  })
})

test('a pool in which nothing waits is not logged', async (t) => {
  const { said, metrics } = await serve(t, "require('node:fs').readFile(__filename, done)")
  assert.deepEqual(said, [])
  assert.ok(measured(metrics) >= 1, 'it was measured')
})

test('a loop that is busy with short turns is logged, with the function that took most of the time', async (t) => {
  const file = path.join(makeDir(t), 'busy.js')
  fs.writeFileSync(file, `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false, profile: 'on' })
    let untilMs = performance.now() + 50_000
    // A busy machine makes blocks, with which the time of short turns begins anew.
    agent.on('slow', ({ kind, ongoing }) => {
      if (kind === 'busy_loop' && ongoing) untilMs = performance.now() + 2000
    })
    function shortWork () {
      const endMs = performance.now() + 3
      let sum = 0
      while (performance.now() < endMs) sum += Math.sqrt(sum)
      if (performance.now() < untilMs) setImmediate(shortWork)
      else setTimeout(() => agent.stop(), 3000)
    }
    agent.ready.then(shortWork)`)
  const { stdout } = await startNode(t, [file]).closed
  const lines = stdout.trim().split('\n').map((line) => JSON.parse(line))
  const busy = lines.find(({ event }) => event === 'busy')
  assert.ok(busy, stdout)
  assert.ok(busy.utilization >= 0.95 && busy.durationMs >= 9000, JSON.stringify(busy))
  assert.equal(busy.frame?.function, 'shortWork', stdout)
  assert.match(busy.msg, /^the event loop was \d+% busy for \d+\.\d s(?: in [\d,]+ turns)?, without a single long block; most of it in (?:≈ )?shortWork \(/)
  const over = lines.find(({ event }) => event === 'busy_over')
  assert.ok(over?.durationMs >= 9000, JSON.stringify(over))
})
