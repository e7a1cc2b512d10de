'use strict'

// What makes an application slow although nothing blocks: a full thread pool, and a loop that is busy with short turns.
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')

const SERVER = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
const server = require('node:http').createServer((request, response) => answer(() => response.end('ok')))
server.listen(0, async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  const ask = () => fetch(url).then((response) => response.text())
  await agent.ready
  await ask()
  process.stderr.write('ready\\n')
  const all = Array.from({ length: 16 }, ask)
  const highest = { threadPoolDelayMs: 0 }
  const timer = setInterval(() => {
    highest.threadPoolDelayMs = Math.max(highest.threadPoolDelayMs, agent.load().threadPoolDelayMs)
  }, 50)
  await Promise.all(all)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  clearInterval(timer)
  process.stderr.write(JSON.stringify({ metrics: await agent.metrics(), ...highest }) + '\\n')
  server.close()
  server.closeAllConnections()
  await agent.stop()
})
`

/**
 * @param {import('node:test').TestContext} t @param {string} answer body of `answer(done)`
 * @param {(dir: string) => void} [before]
 */
async function serve (t, answer, before = () => {}) {
  const dir = makeDir(t)
  before(dir)
  fs.writeFileSync(path.join(dir, 'app.js'), `${SERVER}\nfunction answer (done) { ${answer} }\n`)
  const app = startNode(t, [path.join(dir, 'app.js')], { cwd: dir })
  const { stdout, stderr } = await app.closed
  const said = stdout.trim().split('\n').map((line) => JSON.parse(line)).filter((/** @type {any} */ { event }) => /^(?:pool|busy)/.test(event))
  return { said, ...JSON.parse(stderr.trim().split('\n').at(-1) ?? '') }
}

/** @param {string} metrics */
const measured = (metrics) => Number(/^loopwatch_threadpool_delay_seconds_count (\d+)$/m.exec(metrics)?.[1])

test('a pool full of pbkdf2 is said while it is full and when it has room, with the requests that waited', async (t) => {
  const { said, metrics, threadPoolDelayMs } = await serve(t, "require('node:crypto').pbkdf2('a', 'b', 400_000, 64, 'sha512', done)")
  assert.deepEqual(said.map((/** @type {any} */ { event }) => event), ['pool_full', 'pool_free'], JSON.stringify(said))
  const [full, free] = said
  assert.match(full.msg, /^the thread pool is full, work has waited in it for \d/)
  // The threads of the pool have a name of their own from Node.js 22 on.
  if (process.platform === 'linux' && Number.parseInt(process.versions.node, 10) >= 22) assert.match(full.msg, /: [1-4] of 4 threads compute \(crypto, zlib\)$/)
  assert.match(full.advice, /UV_THREADPOOL_SIZE/)
  assert.ok(free.inFlight >= 8 && free.longestMs >= 200, JSON.stringify(free))
  assert.ok(measured(metrics) >= 2, metrics)
  assert.ok(threadPoolDelayMs >= 200, `${threadPoolDelayMs}`)
})

test('a pool full of files that do not open is said with their number', { skip: process.platform === 'win32' }, async (t) => {
  const open = "if (!answer.isReady) { answer.isReady = true; return done() } const fs = require('node:fs'); fs.open('pipe', 'r', (error, fd) => fs.close(fd, done))"
  const { said } = await serve(t, open, (dir) => {
    const pipe = path.join(dir, 'pipe')
    execFileSync('mkfifo', [pipe])
    // To open a pipe for reading takes until somebody opens it for writing.
    const writer = spawn('sh', ['-c', 'sleep 4; exec 3<>"$0"; sleep 60', pipe], { stdio: 'ignore' })
    t.after(() => writer.kill('SIGKILL'))
  })
  assert.equal(said[0]?.event, 'pool_full', JSON.stringify(said))
  assert.match(said[0].msg, /: \d+ file operations? \(4 threads\)$/)
  const files = (said[0].resources.FSReqCallback ?? 0) + (said[0].resources.FSReqPromise ?? 0)
  assert.ok(files >= 4, JSON.stringify(said[0]))
})

test('nothing is said of a pool in which nothing waits', async (t) => {
  const { said, metrics } = await serve(t, "require('node:fs').readFile(__filename, done)")
  assert.deepEqual(said, [])
  assert.ok(measured(metrics) >= 1, 'it was measured')
})

test('a loop that is busy with short turns is said, with the function that had most of them', async (t) => {
  const file = path.join(makeDir(t), 'busy.js')
  fs.writeFileSync(file, `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
    const untilMs = performance.now() + 14000
    function shortWork () {
      const endMs = performance.now() + 3
      let sum = 0
      while (performance.now() < endMs) sum += Math.sqrt(sum)
      if (performance.now() < untilMs) setImmediate(shortWork)
      else agent.stop()
    }
    agent.ready.then(shortWork)`)
  const { stdout } = await startNode(t, [file]).closed
  const busy = stdout.trim().split('\n').map((line) => JSON.parse(line)).find(({ event }) => event === 'busy')
  assert.ok(busy, stdout)
  assert.ok(busy.utilization >= 0.95 && busy.durationMs >= 9000, JSON.stringify(busy))
  assert.equal(busy.frame?.function, 'shortWork')
  assert.match(busy.msg, /^the event loop was \d+ % busy for \d+\.\d s(?: in [\d,]+ turns)?, without one long block; most of it in shortWork \(/)
})
