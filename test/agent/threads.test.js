'use strict'

// Worker threads are watched from outside, and by the preload where they run it. What hangs on timing is in
// threads.alone.test.js.
// runtime: worker threads
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { startNode } = require('../support/app')
const { parseExposition, valueOf } = require('../support/exposition')
const { makeDir } = require('../support/files')
const { CRUNCH, CRUNCHER, lastLine, PACKAGE, ROOT, run } = require('../support/threads')

/** What a program sees of threads that end in all kinds of ways must not depend on the agent. */
const KINDS = `[{
  limits: () => work('setTimeout(() => console.log("limits"), 1500)', { resourceLimits: { maxOldGenerationSizeMb: 8, stackSizeMb: 1 } }),
  memory: () => work('const all = []; setTimeout(() => { for (let i = 0; i < 1000; i++) all.push(new Array(1e5).fill(1)) }, 1300)', { resourceLimits: { maxOldGenerationSizeMb: 8 } }),
  flags: () => work('console.log(process.execArgv.join()); setTimeout(() => {}, 1400)', { execArgv: ['--no-warnings'] }),
  stdin: () => { const worker = work('process.stdin.on("data", (data) => console.log("in " + data))', { stdin: true }); setTimeout(() => worker.stdin.end('hello'), 1400); return worker },
  esm: () => new Worker(new URL('data:text/javascript,await new Promise((resolve) => setTimeout(resolve, 1450)); console.log("esm")')),
  once: () => work('console.log("once")'),
  code: () => work('setTimeout(() => process.exit(5), 1350)')
}, {
  throws: () => work('setTimeout(() => { throw new Error("mine") }, 1350)'),
  rejects: () => work('setTimeout(() => { Promise.reject(new Error("mine too")) }, 1400)'),
  first: () => work('const end = Date.now() + 1500; while (Date.now() < end); console.log("first")'),
  native: () => work('setTimeout(() => { require("node:crypto").pbkdf2Sync("a", "b", 300000, 32, "sha512"); console.log("native") }, 1100)'),
  recursion: () => work('let d = 0; const f = () => { d++; f() }; setTimeout(() => { const end = Date.now() + 300; while (Date.now() < end) { try { f() } catch {} } console.log("recursed") }, 1100)'),
  frozen: () => work('Object.freeze(Error); Object.freeze(globalThis); setTimeout(() => console.log("frozen"), 1500)')
}, {
  nested: () => work('const { Worker } = require("node:worker_threads"); new Worker("setTimeout(() => console.log(1), 1400)", { eval: true })'),
  waits: () => work('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500); console.log("waited")'),
  patched: () => work('globalThis.setImmediate = () => { throw new Error("patched") }; setTimeout(() => console.log("patched"), 1500)'),
  port: () => { const worker = work('require("node:worker_threads").parentPort.once("message", (text) => console.log(text))'); setTimeout(() => worker.postMessage('posted'), 1400); return worker },
  terminated: () => { const worker = work('setInterval(() => {}, 1000)'); setTimeout(() => worker.terminate(), 1450); return worker },
  parent: () => { const worker = work('const { Worker } = require("node:worker_threads"); new Worker("setInterval(() => {}, 1000)", { eval: true })'); setTimeout(() => worker.terminate(), 1500); return worker }
}]`

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
      setTimeout(() => ${end}, 2500)`], { env: { LOOPWATCH_PORT: '0', LOOPWATCH_ONLY: '*' } })
    const late = setTimeout(() => child.kill('SIGKILL'), 15000)
    const { code, signal } = await closed
    clearTimeout(late)
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, way)
  }))
}

/** Lines of the log, wherever they went. @param {{ stdout: string, stderr: string }} out */
const logged = ({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('"event":')).map((line) => JSON.parse(line))

describe('worker threads', { concurrency: AT_ONCE }, () => {
  for (const { way, args, begin } of ways) {
    test(`with ${way}, a worker's blocks, utilization and CPU time are known, and a block is logged at its end`, async (t) => {
      const out = await run(t, `
        ${begin}
        const events = []
        agent.on('block', ({ id }) => events.push(id))
        const worker = work(${CRUNCHER}, { name: 'cruncher' })
        find(({ ongoing, startup, durationMs, uncertaintyMs }) => !ongoing && !startup && durationMs + uncertaintyMs >= 299, ofWorkers).then(async (block) => {
          await sleep(1500)
          done({ block, events, metrics: await agent.metrics() })
        })`, args)
      const { block, events, metrics } = lastLine(out)
      assert.ok(block.threadId > 0)
      assert.equal(block.samples, 0)
      // A machine that has no CPU for it, or stands still, is a cause as well. No other is known without a profile.
      const isStill = block.evidence.watchdogGapMs * 2 >= block.durationMs
      const causes = [block.frame === null ? 'unknown' : 'js', 'starved', ...(isStill ? ['suspended'] : [])]
      assert.ok(causes.includes(block.cause), JSON.stringify(block))
      // One a minute, and one more when its line of code is known.
      const lines = logged(out).filter((line) => line.event === 'settled' && line.thread === block.thread)
      assert.ok(lines.length >= 1 && lines.length <= 2, out.stdout)
      for (const { level } of lines) assert.equal(level, 30)
      assert.match(lines[0].msg, /^event loop of worker thread .* was blocked for \d/)
      assert.ok(events.includes(block.id), 'the event')
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

  for (const { way, args, begin } of ways) {
    test(`with ${way}, a worker that blocks at its top level and exits has a record, a line in the log and a place in metrics`, async (t) => {
      const out = await run(t, `
        ${begin}
        agent.ready.then(async () => {
          const start = () => work(${JSON.stringify(`${CRUNCH}; crunch(700)`)}, { name: 'job' })
          start()
          // A busy machine may starve one.
          const again = setInterval(start, 3000)
          const block = await find(({ ongoing, durationMs, uncertaintyMs }) => !ongoing && durationMs + uncertaintyMs >= 699, ofWorkers)
          clearInterval(again)
          done({ block, metrics: await agent.metrics() })
        })`, args)
      const { block, metrics } = lastLine(out)
      assert.equal(logged(out).filter((line) => line.block === block.id && line.event === 'settled').length, 1, out.stdout)
      const counted = parseExposition(metrics).samples.find(({ name, labels }) => name === 'loopwatch_block_duration_seconds_count' && labels.thread === block.thread)
      assert.ok(Number(counted?.value) >= 1)
    })

    test(`with ${way}, each of two blocks has its record, of one worker that then ends and of a worker a job`, async (t) => {
      const { one, jobs } = lastLine(await run(t, `
        ${begin}
        // On a busy machine there are shorter ones.
        const long = async () => (await ofWorkers()).filter(({ durationMs }) => durationMs > 400)
        const settled = async (count) => {
          let blocks = await long()
          for (let i = 0; i < 100 && !(blocks.length >= count && blocks.every(({ ongoing }) => !ongoing)); i++) {
            await sleep(100)
            blocks = await long()
          }
          return blocks
        }
        const ended = (source) => new Promise((resolve) => work(source).on('exit', resolve))
        agent.ready.then(async () => {
          await ended(${JSON.stringify(`${CRUNCH}; crunch(700); setTimeout(() => crunch(600), 300)`)})
          const one = await settled(2)
          const job = ${JSON.stringify(`${CRUNCH}; setTimeout(() => crunch(600), 100)`)}
          await ended(job)
          await ended(job)
          done({ one, jobs: (await settled(one.length + 2)).slice(0, -one.length) })
        })`, args))
      assert.deepEqual(one.map((/** @type {any} */ { ongoing }) => ongoing), [false, false], JSON.stringify(one))
      assert.equal(new Set(jobs.map((/** @type {any} */ { threadId }) => threadId)).size, 2, JSON.stringify(jobs))
      assert.equal(jobs.length, 2, JSON.stringify(jobs))
    })
  }

  test('a worker that waits for a debugger does not keep process.exit() from ending', (t) => endsWhileWaiting(t, 'process.exit()'))

  test('a worker that waits for a debugger does not keep worker.terminate() from ending', (t) => endsWhileWaiting(t, 'worker.terminate().then(() => process.exit())'))

  test('no session with a worker is ever opened', async (t) => {
    const { methods } = lastLine(await run(t, `
      const { Session } = require('node:inspector')
      const methods = new Set()
      const { post } = Session.prototype
      Session.prototype.post = function (method, ...args) { methods.add(method); return post.call(this, method, ...args) }
      const agent = require(${PACKAGE}).start({ port: 0, log: false })
      work(${CRUNCHER})
      find(({ ongoing }) => !ongoing, ofWorkers).then(() => done({ methods: [...methods] }))`))
    assert.ok(!methods.includes('NodeWorker.enable'), `${methods}`)
  })

  test('worker threads of all kinds end with the same codes and output as without an agent', async (t) => {
    const script = (/** @type {string} */ agent) => `${agent}
      const ends = {}
      ;(async () => {
        for (const kinds of ${KINDS}) {
          await Promise.all(Object.entries(kinds).map(([name, make]) => new Promise((resolve) => {
            const events = ends[name] = []
            make().on('error', (error) => events.push(error.code ?? error.message)).on('exit', (code) => resolve(events.push(code)))
          })))
        }
        process.stdout.write(JSON.stringify(ends) + '\\n')
      })()`
    const [bare, watched] = (await Promise.all(['', `require(${PACKAGE}).start({ port: 0, log: false })`].map((agent) => run(t, script(agent)))))
      .map(({ stdout, ...out }) => ({ ...out, lines: stdout.split('\n').sort() }))
    assert.equal(bare.code, 0, bare.stderr)
    assert.deepEqual(watched, bare)
  })

  test('two dozen worker threads, one after another: labels bounded, totals kept, gauges only of the living', async (t) => {
    const { first, last } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, log: false })
      let started = 0
      const wave = () => Promise.all(Array.from({ length: 8 }, () => new Promise((resolve) => work('setTimeout(() => {}, 1000)', { name: 'short ' + started++ }).on('exit', resolve))))
      ;(async () => {
        await wave()
        await sleep(300)
        const first = await agent.metrics()
        await wave()
        await wave()
        await sleep(300)
        done({ first, last: await agent.metrics() })
      })()`))
    const [before, after] = [first, last].map((text) => parseExposition(text).samples)
    const labels = new Set(after.flatMap(({ labels }) => labels.thread ?? []))
    // Node.js 20 does not tell their names.
    assert.ok(labels.size > ('threadName' in Worker.prototype ? 3 : 1), [...labels].join())
    assert.ok(labels.size <= 23, [...labels].join())
    for (const { name, labels, value } of before) {
      if (labels.thread === undefined || !/_total$/.test(name)) continue
      assert.ok(valueOf(after, name, labels) >= value, `${name} ${JSON.stringify(labels)} went backwards`)
    }
    const gauges = after.filter(({ name, labels }) => name === 'loopwatch_eventloop_heartbeat_age_seconds' && labels.thread !== 'main')
    assert.deepEqual(gauges, [])
  })

  test('after stop() worker threads have nothing of ours in them', async (t) => {
    const { has } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, log: false })
      const worker = work("const before = process.listenerCount('exit')\\nrequire('node:worker_threads').parentPort.on('message', () => require('node:worker_threads').parentPort.postMessage([Symbol.for('loopwatch.agent.1') in globalThis, process.listenerCount('exit') - before]))")
      setTimeout(async () => {
        await agent.stop()
        worker.postMessage(0)
        done({ has: await new Promise((resolve) => worker.once('message', resolve)) })
      }, 800)`))
    assert.deepEqual(has, [false, 0])
  })

  test('worker threads with another version of the package are not watched and logged once, and the watching goes on', async (t) => {
    const other = path.join(makeDir(t), 'lib')
    fs.cpSync(path.join(ROOT, 'lib'), other, { recursive: true })
    const memory = path.join(other, 'bridge', 'memory.js')
    const text = fs.readFileSync(memory, 'utf8').replace('const LAYOUT = 2\n', 'const LAYOUT = 3\n')
    assert.match(text, /LAYOUT = 3/)
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
        // Metrics count a block when it is settled, which is later than its end.
        const settled = new Promise((resolve) => agent.on('block', (block) => { if (block.thread === 'main' && block.durationMs >= 250) resolve(block) }))
        crunch(300)
        const block = await settled
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
