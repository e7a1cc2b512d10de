'use strict'

// Worker threads as they are watched by default: from outside, and by the preload where they run it. What hangs on
// timing is in threads-outside.alone.test.js.
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { parseExposition, valueOf } = require('../support/exposition')
const { makeDir } = require('../support/files')
const { CRUNCHER, lastLine, PACKAGE, ROOT, run } = require('../support/threads')

const REGISTER = path.join(ROOT, 'lib', 'register.js')
/** Each waits most of its time: worker threads have to be seen for some seconds before they are ended. */
const AT_ONCE = 3

/** The agent by start() and by the preload, which workers run too. */
const ways = [
  { way: 'start()', args: [], begin: `const agent = require(${PACKAGE}).start({ port: 0, log: { level: 'debug' } })` },
  { way: 'the preload', args: ['-r', REGISTER], begin: `const agent = require(${PACKAGE}).start()` }
]

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

describe('worker threads as they are watched by default', { concurrency: AT_ONCE }, () => {
  for (const { way, args, begin } of ways) {
    test(`by default, with ${way}, a worker's blocks, utilization and CPU time are known, and nothing of it is logged`, async (t) => {
      const out = await run(t, `
        ${begin}
        const worker = work(${CRUNCHER}, { name: 'cruncher' })
        find(({ ongoing, startup, durationMs }) => !ongoing && !startup && durationMs >= 250, ofWorkers).then(async (block) => {
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
      const [bare, out] = await Promise.all([see('', []), see(begin, args)])
      assert.deepEqual([out.code, out.signal], [0, null])
      assert.equal(out.stdout.split('\n').find((line) => !line.includes('"event":')), bare.stdout.trim())
    })
  }

  test('a worker that waits for a debugger does not keep process.exit() from ending', (t) => endsWhileWaiting(t, 'process.exit()'))

  test('a worker that waits for a debugger does not keep worker.terminate() from ending', (t) => endsWhileWaiting(t, 'worker.terminate().then(() => process.exit())'))

  test('by default no session with a worker is ever opened, with threads: \'on\' it is', async (t) => {
    await Promise.all(/** @type {[string, boolean][]} */ ([['auto', false], ['on', true]]).map(async ([threads, expected]) => {
      const { methods } = lastLine(await run(t, `
        const { Session } = require('node:inspector')
        const methods = new Set()
        const { post } = Session.prototype
        Session.prototype.post = function (method, ...args) { methods.add(method); return post.call(this, method, ...args) }
        const agent = require(${PACKAGE}).start({ port: 0, log: false, threads: '${threads}' })
        work(${CRUNCHER})
        sleep(4000).then(() => done({ methods: [...methods] }))`))
      assert.equal(methods.includes('NodeWorker.enable'), expected, `${threads}: ${methods}`)
    }))
  })

  test('worker threads with another version of the package are left alone and said once, and the watching goes on', async (t) => {
    const other = path.join(makeDir(t), 'lib')
    fs.cpSync(path.join(ROOT, 'lib'), other, { recursive: true })
    const memory = path.join(other, 'bridge', 'memory.js')
    const text = fs.readFileSync(memory, 'utf8').replace('const LAYOUT = 1\n', 'const LAYOUT = 2\n')
    assert.match(text, /LAYOUT = 2/)
    fs.writeFileSync(memory, text)
    const out = await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0 })
      const otherCopy = 'require(' + JSON.stringify(${JSON.stringify(path.join(other, 'register.js'))}) + ')\\n'
      const small = "new BroadcastChannel('loopwatch.threads.1').postMessage({ memory: new SharedArrayBuffer(64), threadId: require('node:worker_threads').threadId, name: 'small', tid: null })"
      agent.ready.then(async () => {
        work(otherCopy + 'setInterval(() => {}, 1000)', { name: 'other' })
        work(small + '; setInterval(() => {}, 1000)')
        // In this time it announces itself three times.
        await sleep(1200)
        crunch(300)
        const block = await find(({ ongoing, durationMs }) => !ongoing && durationMs >= 250)
        done({ block, metrics: await agent.metrics() })
      })`)
    const { block, metrics } = lastLine(out)
    assert.equal(block.thread, 'main')
    assert.match(metrics, /loopwatch_block_duration_seconds_count/)
    const said = out.stdout.split('\n').filter((line) => line.includes('"event":"other_version"')).map((line) => JSON.parse(line))
    assert.equal(new Set(said.map(({ threadId }) => threadId)).size, 2, out.stdout)
    assert.equal(said.length, 2, out.stdout)
    assert.ok(said.some(({ thread, msg }) => thread === 'small' && msg.includes('another version of loopwatch')), out.stdout)
    assert.doesNotMatch(out.stderr, /Warning/)
  })

  test('a worker that is stuck for good is a block in progress, and one of its own when it is terminated', async (t) => {
    const { ongoing, ended } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, log: false })
      const worker = work('setTimeout(() => { for (;;); }, 500)')
      ;(async () => {
        const ongoing = await find(({ ongoing, durationMs }) => ongoing && durationMs > 1500, ofWorkers)
        await worker.terminate()
        done({ ongoing, ended: await find(({ id, ongoing }) => !ongoing, ofWorkers) })
      })()`))
    assert.ok(ongoing.durationMs > 1500)
    assert.ok(ended.durationMs > 1400, JSON.stringify(ended))
  })
})
