'use strict'

// Worker threads with threads: 'on', asked by their inspectors. What hangs on timing is in threads.alone.test.js.
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { makeDir } = require('../support/files')
const { parseExposition, valueOf } = require('../support/exposition')
const { CRUNCH, CRUNCHER, lastLine, PACKAGE, QUIET, run, STAY } = require('../support/threads')
const { readBlocks } = require('../../lib/store/block-file')

/** Each waits most of its time: nobody is spoken to within a second of a worker thread's beginning or end. */
const AT_ONCE = 3

/**
 * Ends of all kinds, by threads that live long enough to be asked; what a program sees of them must not depend on the
 * agent.
 */
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
  terminated: () => { const worker = work('${STAY}'); setTimeout(() => worker.terminate(), 1450); return worker },
  parent: () => { const worker = work('const { Worker } = require("node:worker_threads"); new Worker("setInterval(() => {}, 1000)", { eval: true })'); setTimeout(() => worker.terminate(), 1500); return worker }
}]`

describe("worker threads with threads: 'on'", { concurrency: AT_ONCE }, () => {
  test("threads: 'on': a named worker thread that blocks is recorded with name, function, line and cause", async (t) => {
    const dir = makeDir(t)
    const out = await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, log: false, threads: 'on', dir: ${JSON.stringify(dir)} })
      work(${CRUNCHER}, { name: 'cruncher' })
      find((block) => block.thread === 'cruncher' && !block.ongoing && block.cause === 'js' && block.frame?.function === 'crunch').then(async (block) => {
        await sleep(700)
        done({ block, metrics: await agent.metrics() })
      })`)
    const { block, metrics } = lastLine(out)
    assert.deepEqual({ ...block.frame, exact: 0, column: 0 }, { function: 'crunch', file: '[worker eval]', line: 1, column: 0, exact: 0 })
    assert.ok(block.threadId > 0)
    assert.ok(block.durationMs + block.uncertaintyMs >= 299, JSON.stringify(block))
    assert.ok(readBlocks(dir).records.some(({ thread, ongoing }) => thread === 'cruncher' && !ongoing))
    const { samples } = parseExposition(metrics)
    const blocked = samples.filter(({ name, labels }) => name === 'loopwatch_block_duration_seconds_count' && labels.thread === 'cruncher')
    assert.ok(blocked.length > 0)
    for (const state of ['active', 'idle']) assert.ok(valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread: 'cruncher', state }) > 0.1, state)
    assert.ok(samples.some(({ name, labels }) => name === 'loopwatch_eventloop_heartbeat_age_seconds' && labels.thread === 'cruncher'))
    assert.ok(!samples.some(({ name, labels }) => name === 'loopwatch_block_site_seconds_total' && labels.site.startsWith('crunch ')), 'worker threads do not count as time lost by the main thread')
  })

  test("threads: 'on' logs the blocks of worker threads with their names, and the event carries them", async (t) => {
    const out = await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, threads: 'on' })
      work(${CRUNCHER}, { name: 'cruncher' })
      agent.on('block', (block) => { if (block.thread === 'cruncher' && block.frame) done({ event: block.threadId }) })
      setTimeout(() => done('late'), 15000)`)
    assert.ok(lastLine(out).event > 0, out.stdout)
    assert.match(out.stdout, /"event":"settled","block":"[^"]+","thread":"cruncher","threadId":\d+.*"msg":"event loop of worker thread cruncher was blocked for/)
  })

  test('a worker thread is asked while the main thread is blocked too', async (t) => {
    const { block, main } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start(${QUIET})
      const worker = work(${JSON.stringify(`${CRUNCH}\nrequire('node:worker_threads').parentPort.on('message', () => crunch(800))`)}, { name: 'partner' })
      const again = setInterval(function both () { worker.postMessage(1); crunch(700) }, 2000)
      setTimeout(() => find((block) => block.thread === 'partner' && !block.ongoing && block.frame?.function === 'crunch').then(async (block) => {
        clearInterval(again)
        await sleep(600)
        done({ block, main: (await agent.blocks()).find(({ thread, frame }) => thread === 'main' && frame?.function === 'crunch') })
      }), 2500)`))
    assert.ok(block.samples >= 1)
    assert.ok(main, 'the main thread has a record of its own')
    assert.equal(main.threadId, 0)
  })

  test("threads: 'on' puts its symbol into worker threads, 'off' and the default leave them untouched", async (t) => {
    await Promise.all([['off', false], ['auto', false], ['on', true]].map(async ([threads, expected]) => {
      const found = lastLine(await run(t, `
        require(${PACKAGE}).start({ port: 0, log: false, threads: '${threads}' })
        const worker = work(\`setInterval(() => require('node:worker_threads').parentPort.postMessage(Symbol.for('loopwatch.agent.1') in globalThis), 100)\`)
        let seen = 0
        // Nothing ever comes of what is off; on a busy machine the other takes its time.
        worker.on('message', (has) => { if (has || (${!expected} && ++seen === 15)) done({ has }) })`))
      assert.deepEqual(found, { has: expected })
    }))
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
    const sorted = (/** @type {any} */ { stdout, ...out }) => ({ ...out, lines: stdout.split('\n').sort() })
    const agents = ['auto', 'on'].map((threads) => `require(${PACKAGE}).start({ port: 0, log: false, threads: '${threads}' })`)
    const [bare, ...watched] = (await Promise.all(['', ...agents].map((agent) => run(t, script(agent))))).map(sorted)
    assert.equal(bare.code, 0, bare.stderr)
    for (const [i, out] of watched.entries()) assert.deepEqual(out, bare, agents[i])
  })

  test('worker threads are asked while the main thread itself sleeps in Atomics.wait, time and again', async (t) => {
    const { naps, block } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start(${QUIET})
      work(${JSON.stringify(`${CRUNCH}\nsetInterval(function tick () { crunch(300) }, 400)`)}, { name: 'partner' })
      const sleeper = new Int32Array(new SharedArrayBuffer(4))
      let naps = 0
      const napping = setInterval(() => { Atomics.wait(sleeper, 0, 0, 200); naps++ }, 20)
      setTimeout(() => find(({ thread, samples }) => thread === 'partner' && samples > 0).then((block) => {
        clearInterval(napping)
        done({ naps, block })
      }), 4000)`))
    assert.ok(naps > 5, `${naps} naps`)
    assert.equal(block.thread, 'partner')
  })

  test('a process whose workers are done ends by itself', async (t) => {
    const out = await run(t, `
      require(${PACKAGE}).start(${QUIET})
      const worker = work('${STAY}')
      worker.unref()
      work('setTimeout(() => console.log("done"), 300)')`)
    assert.deepEqual(out, { code: 0, signal: null, stdout: 'done\n', stderr: '' })
  })

  test('a pool that retires workers without their listeners leaves later ones watched', async (t) => {
    const { block, metrics } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start(${QUIET})
      const { once } = require('node:events')
      // Of 33 none is asked on any machine.
      const retire = async () => {
        const worker = work('${STAY}')
        await once(worker, 'online')
        await worker.removeAllListeners('exit').terminate()
      }
      agent.ready.then(async () => {
        for (let i = 0; i < 33; i += 3) await Promise.all([retire(), retire(), retire()])
        work(${CRUNCHER}, { name: 'cruncher' })
        const block = await find(({ thread }) => thread === 'cruncher')
        done({ block, metrics: await agent.metrics() })
      })`))
    assert.equal(block.thread, 'cruncher')
    assert.equal(valueOf(parseExposition(metrics).samples, 'loopwatch_degraded', { reason: 'threads' }), 0)
  })

  test('two dozen worker threads, one after another: labels bounded, totals kept, gauges only of the living', async (t) => {
    const { first, last } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start(${QUIET})
      let started = 0
      const wave = () => Promise.all(Array.from({ length: 8 }, () => new Promise((resolve) => work('setTimeout(() => {}, 2200)', { name: 'short ' + started++ }).on('exit', resolve))))
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
    assert.ok(labels.size > 3, 'some lived long enough to be seen')
    assert.ok(labels.size <= 23, [...labels].join())
    for (const { name, labels, value } of before) {
      if (labels.thread === undefined || !/_total$/.test(name)) continue
      assert.ok(valueOf(after, name, labels) >= value, `${name} ${JSON.stringify(labels)} went backwards`)
    }
    const gauges = after.filter(({ name, labels }) => name === 'loopwatch_eventloop_heartbeat_age_seconds' && labels.thread !== 'main')
    assert.deepEqual(gauges, [])
  })

  test('more worker threads than are asked: none is touched, it is said once, and the first again once they are fewer', async (t) => {
    const out = await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, threads: 'on' })
      let calls = 0
      const { callWorkers } = agent
      agent.callWorkers = (...args) => { calls++; return callWorkers(...args) }
      ;(async () => {
        await agent.ready
        const most = Math.max(8, Math.min(32, 4 * require('node:os').availableParallelism()))
        const workers = Array.from({ length: most + 1 }, (_, i) => work('${STAY}', { name: 'one ' + i }))
        await sleep(1000)
        const early = calls
        const metrics = await agent.metrics()
        await sleep(1500)
        const late = calls
        await Promise.all(workers.slice(2).map((worker) => worker.terminate()))
        for (const end = Date.now() + 15000; Date.now() < end; await sleep(50)) {
          if (/heartbeat_age_seconds{thread="one 0"/.test(await agent.metrics())) break
        }
        done({ asked: late - early, metrics, last: await agent.metrics() })
      })()`)
    const { asked, metrics, last } = lastLine(out)
    assert.equal(asked, 0)
    const degraded = (/** @type {string} */ text) => valueOf(parseExposition(text).samples, 'loopwatch_degraded', { reason: 'threads' })
    assert.deepEqual([degraded(metrics), degraded(last)], [1, 0])
    assert.match(last, /heartbeat_age_seconds{thread="one 0"/)
    assert.equal(out.stdout.match(/"reason":"threads"[^\n]*too many worker threads/g)?.length, 1)
  })

  test('after stop() nothing is left in the worker threads, and another start() finds them again', async (t) => {
    const { has, block } = lastLine(await run(t, `
      globalThis.agent = require(${PACKAGE}).start(${QUIET})
      const worker = work(${JSON.stringify(`${CRUNCH}\nconst before = process.listenerCount('exit')\nrequire('node:worker_threads').parentPort.on('message', (ms) => { crunch(ms); require('node:worker_threads').parentPort.postMessage([Symbol.for('loopwatch.agent.1') in globalThis, process.listenerCount('exit') - before]) })`)}, { name: 'kept' })
      setTimeout(async () => {
        await agent.stop()
        await sleep(400)
        worker.postMessage(0)
        const has = await new Promise((resolve) => worker.once('message', resolve))
        globalThis.agent = require(${PACKAGE}).start(${QUIET})
        const again = setInterval(() => worker.postMessage(400), 1500)
        const block = await find(({ thread, frame }) => thread === 'kept' && frame)
        clearInterval(again)
        done({ has, block })
      }, 800)`))
    assert.deepEqual(has, [false, 0])
    assert.equal(block.frame.function, 'crunch')
  })
})
