'use strict'

// Takes half a minute: worker threads have to be seen for some seconds before they are ended.
// Worker threads as they are watched by default: from outside, and by the preload where they run it.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { parseExposition, valueOf } = require('../support/exposition')

const ROOT = path.join(__dirname, '..', '..')
const PACKAGE = JSON.stringify(ROOT)
const REGISTER = path.join(ROOT, 'lib', 'register.js')
const CRUNCH = 'function crunch (ms) { const end = performance.now() + ms; while (performance.now() < end); }'
/** Blocks for 300 ms again and again. */
const CRUNCHER = JSON.stringify(`${CRUNCH}\nsetInterval(function tick () { crunch(300) }, 900)`)

const PRELUDE = `
  const { Worker } = require('node:worker_threads')
  const { setTimeout: sleep } = require('node:timers/promises')
  const work = (source, options) => new Worker(source, { eval: true, ...options })
  const ofWorkers = async () => (await agent.blocks()).filter(({ thread }) => thread !== 'main')
  const find = async (test) => {
    for (const end = Date.now() + 20000; Date.now() < end; await sleep(50)) {
      const block = (await ofWorkers()).find(test)
      if (block) return block
    }
    throw new Error('not found in ' + JSON.stringify(await agent.blocks()))
  }
  const done = (value) => process.stdout.write(JSON.stringify(value) + '\\n', () => process.exit())
  ${CRUNCH}`

/** The agent by start() and by the preload, which workers run too. */
const ways = [
  { way: 'start()', args: [], begin: `const agent = require(${PACKAGE}).start({ port: 0, log: { level: 'debug' } })` },
  { way: 'the preload', args: ['-r', REGISTER], begin: `const agent = require(${PACKAGE}).start()` }
]

/** @param {import('node:test').TestContext} t @param {string} script @param {string[]} [args] */
const run = (t, script, args = []) => startNode(t, [...args, '-e', PRELUDE + script], { env: { LOOPWATCH_PORT: '0' } }).closed

/** @param {{ stdout: string, stderr: string, code: number | null, signal: string | null }} out */
function lastLine ({ stdout, stderr, code, signal }) {
  try {
    return JSON.parse(stdout.trim().split('\n').findLast((line) => !line.includes('"event":"')) ?? '')
  } catch {
    throw new Error(`${code} ${signal}: ${stdout}\n${stderr}`)
  }
}

for (const { way, args, begin } of ways) {
  test(`by default, with ${way}, a worker's blocks, utilization and CPU time are known, and nothing of it is logged`, async (t) => {
    const out = await run(t, `
      ${begin}
      const worker = work(${CRUNCHER}, { name: 'cruncher' })
      find(({ ongoing, startup, durationMs }) => !ongoing && !startup && durationMs >= 250).then(async (block) => {
        await sleep(1500)
        done({ block, metrics: await agent.metrics() })
      })`, args)
    const { block, metrics } = lastLine(out)
    assert.ok(block.threadId > 0)
    assert.ok(block.durationMs + block.uncertaintyMs >= 299, JSON.stringify(block))
    assert.deepEqual([block.frame, block.samples], [null, 0])
    // A machine that has no CPU for it is a cause as well.
    assert.ok(['unknown', 'starved'].includes(block.cause), block.cause)
    assert.doesNotMatch(out.stdout, /"event":"(opened|lasting|settled)"[^\n]*"threadId":/)
    const { thread } = block
    const { samples } = parseExposition(metrics)
    for (const state of ['active', 'idle']) assert.ok(Number(valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread, state })) > 0.1, state)
    if (process.platform === 'linux') assert.ok(Number(valueOf(samples, 'loopwatch_thread_cpu_seconds_total', { thread, mode: 'user' })) > 0.1, 'CPU')
    assert.ok(samples.some(({ name, labels, value }) => name === 'loopwatch_block_duration_seconds_count' && labels.thread === thread && value > 0))
  })

  test(`with ${way}, workers end by themselves and so does the process; they have nothing of ours to see`, async (t) => {
    const source = `require('node:worker_threads').parentPort.postMessage([Symbol.for('loopwatch.agent.1') in globalThis, process.listenerCount('exit')])
      setTimeout(() => {}, 300)`
    const see = (/** @type {string} */ agent, /** @type {string[]} */ flags) => run(t, `
      ${agent}
      const worker = work(${JSON.stringify(source)})
      const listeners = worker.eventNames().length
      worker.on('message', (own) => console.log(own.join(), listeners))`, flags)
    const bare = await see('', [])
    const out = await see(begin, args)
    assert.deepEqual([out.code, out.signal], [0, null])
    assert.equal(out.stdout.split('\n').find((line) => !line.includes('"event":')), bare.stdout.trim())
  })
}

/** @param {import('node:test').TestContext} t @param {string} end what must end the process */
async function endsWhileWaiting (t, end) {
  await Promise.all(ways.map(async ({ way, args }) => {
    const { child, closed } = startNode(t, [...args, '-e', `
      if (process.execArgv[0] !== '-r') require(${PACKAGE}).start({ port: 0, log: false })
      const { Worker } = require('node:worker_threads')
      const worker = new Worker("const inspector = require('node:inspector'); inspector.open(0, '127.0.0.1', false); inspector.waitForDebugger()", { eval: true })
      setTimeout(() => ${end}, 2500)`], { env: { LOOPWATCH_PORT: '0' } })
    const late = setTimeout(() => child.kill('SIGKILL'), 15000)
    const { code, signal } = await closed
    clearTimeout(late)
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, way)
  }))
}

test('a worker that waits for a debugger does not keep process.exit() from ending', (t) => endsWhileWaiting(t, 'process.exit()'))

test('a worker that waits for a debugger does not keep worker.terminate() from ending', (t) => endsWhileWaiting(t, 'worker.terminate().then(() => process.exit())'))

test('by default no session with a worker is ever opened, with threads: \'on\' it is', async (t) => {
  for (const [threads, expected] of [['auto', false], ['on', true]]) {
    const { methods } = lastLine(await run(t, `
      const { Session } = require('node:inspector')
      const methods = new Set()
      const { post } = Session.prototype
      Session.prototype.post = function (method, ...args) { methods.add(method); return post.call(this, method, ...args) }
      const agent = require(${PACKAGE}).start({ port: 0, log: false, threads: '${threads}' })
      work(${CRUNCHER})
      sleep(4000).then(() => done({ methods: [...methods] }))`))
    assert.equal(methods.includes('NodeWorker.enable'), expected, `${threads}: ${methods}`)
  }
})

test('a main thread that is blocked makes no blocks of its workers, and theirs are known when it is not any more', async (t) => {
  const { calm, busy } = lastLine(await run(t, `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const worker = work(${JSON.stringify(`${CRUNCH}\nrequire('node:worker_threads').parentPort.on('message', crunch)`)})
    ;(async () => {
      await sleep(1500)
      const before = (await ofWorkers()).length
      crunch(1500)
      await sleep(300)
      const calm = (await ofWorkers()).length - before
      worker.postMessage(1500)
      await sleep(300)
      crunch(700)
      done({ calm, busy: await find(({ ongoing, durationMs }) => !ongoing && durationMs > 1000) })
    })()`))
  assert.equal(calm, 0)
  assert.ok(busy.durationMs + busy.uncertaintyMs >= 1499, JSON.stringify(busy))
})

test('a piscina pool of which nobody asks anything: its idle workers are no blocks, a long task is one', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'task.js'), `module.exports = function task (ms) { ${CRUNCH}; crunch(ms); return ms }`)
  const { idle, results, block } = lastLine(await run(t, `
    const { Piscina } = require(${JSON.stringify(require.resolve('piscina'))})
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const pool = new Piscina({ filename: ${JSON.stringify(path.join(dir, 'task.js'))}, minThreads: 4, maxThreads: 4 })
    setTimeout(async () => {
      const before = (await ofWorkers()).length
      await sleep(1500)
      const idle = (await ofWorkers()).length - before
      const results = await Promise.all(Array.from({ length: 100 }, (_, i) => pool.run(i % 2)))
      const again = setInterval(() => pool.run(500).catch(() => {}), 1000)
      const block = await find(({ ongoing, startup, durationMs }) => !ongoing && !startup && durationMs >= 300)
      clearInterval(again)
      await pool.destroy()
      done({ idle, results: results.length, block })
    }, 2000)`))
  assert.ok(idle <= 1, `${idle} blocks of idle workers`) // a starved machine may add one
  assert.equal(results, 100)
  assert.equal(block.frame, null)
})

test('a worker that is stuck for good is a block in progress, and one of its own when it is terminated', async (t) => {
  const { ongoing, ended } = lastLine(await run(t, `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const worker = work('setTimeout(() => { for (;;); }, 500)')
    ;(async () => {
      const ongoing = await find(({ ongoing, durationMs }) => ongoing && durationMs > 1500)
      await worker.terminate()
      done({ ongoing, ended: await find(({ id, ongoing }) => !ongoing) })
    })()`))
  assert.ok(ongoing.durationMs > 1500)
  assert.ok(ended.durationMs > 1400, JSON.stringify(ended))
})

test('worker threads end in all ways while they are watched from outside: nothing aborts', async (t) => {
  const { stdout, stderr } = await startNode(t, [path.join(ROOT, 'scenarios', 'overhead', 'thread-ends.js'), 'auto', '4'], { env: { SECONDS: '2' } }).closed
  assert.match(stdout, /^auto: 0 of 4 processes ended by a signal \(.*\{"code 0":4\}\)\n$/, stderr)
})
