'use strict'

// runtime: V8 interrupts, module loading, the end of a process
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { AGAIN, HOLD } = require('../support/again')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const PACKAGE = JSON.stringify(ROOT)
const quiet = '{ port: 0, log: false }'

/**
 * Runs a script to its end.
 * @param {import('node:test').TestContext} t
 * @param {string} script
 * @param {string[]} [flags]
 */
const run = (t, script, flags = []) => startNode(t, [...flags, '-e', script]).closed

test('start() twice gives the same agent, and after stop() a new one', async (t) => {
  const { stdout, stderr, code } = await run(t, `
    const { start } = require(${PACKAGE})
    const first = start(${quiet})
    const same = start() === first
    first.stop().then(() => {
      const second = start(${quiet})
      console.log(JSON.stringify({ same, renewed: second !== first }))
      return second.stop()
    })`)
  assert.deepEqual({ stderr, code, ...JSON.parse(stdout) }, { stderr: '', code: 0, same: true, renewed: true })
})

test('a second start() with other options logs once that they are ignored', async (t) => {
  const { stderr, code } = await run(t, `
    const { start } = require(${PACKAGE})
    const agent = start(${quiet})
    start()
    start({ threshold: 100, log: false })
    start({ threshold: 100 })
    agent.stop()`)
  assert.equal(code, 0)
  assert.equal(stderr.match(/LOOPWATCH_WARN_STARTED/g)?.length, 1)
  assert.match(stderr, /the options of this start\(\) are ignored: threshold, log/)
})

test('a mistyped variable is reported, and the others apply', async (t) => {
  const { stderr, code } = await startNode(t, ['-e', `require(${PACKAGE}).start(${quiet}).stop()`], { env: { LOOPWATCH_TRESHOLD: '80' } }).closed
  assert.equal(code, 0)
  assert.match(stderr, /LOOPWATCH_WARN_VARIABLE.*did you mean LOOPWATCH_THRESHOLD/)
})

test('two copies of the package make one agent', async (t) => {
  const copy = makeDir(t)
  fs.cpSync(path.join(ROOT, 'lib'), path.join(copy, 'lib'), { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'))
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'))
  const { stdout } = await startNode(t, ['two-copies.js', ROOT, copy]).closed
  assert.deepEqual(JSON.parse(stdout.split('\n')[0]), { same: true, copies: true })
})

test('a process that should end ends: having an agent keeps nothing alive', async (t) => {
  const { stdout, code } = await run(t, `
    require(${PACKAGE}).start(${quiet})
    setTimeout(() => console.log('done'), 300)`)
  assert.deepEqual({ stdout, code }, { stdout: 'done\n', code: 0 })
})

test('what is awaited comes before the process ends: ready, metrics, blocks, stop', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['--input-type=module', '-e', `
    import loopwatch, { start } from ${JSON.stringify(path.join(ROOT, 'lib', 'index.js'))}
    const agent = loopwatch.start(${quiet})
    const { url } = await agent.ready
    const metrics = await agent.metrics()
    const blocks = await agent.blocks()
    await agent.stop()
    console.log(JSON.stringify({ url: typeof url, metrics: metrics.includes('loopwatch_build_info'), blocks: Array.isArray(blocks), same: start === loopwatch.start }))`]).closed
  assert.equal(stderr, '')
  assert.deepEqual({ code, ...JSON.parse(stdout) }, { code: 0, url: 'string', metrics: true, blocks: true, same: true })
})

test('ready settles without a URL if the agent stops before it has joined the primary', async (t) => {
  // A primary without an agent is waited for, then done without.
  const worker = `
    const agent = require(${PACKAGE}).start(${quiet})
    Promise.all([agent.ready, agent.stop()]).then(([ready]) => {
      console.log(JSON.stringify(ready))
      process.exit()
    })`
  const { stdout, code } = await run(t, `
    const cluster = require('node:cluster')
    cluster.setupPrimary({ exec: 'worker', execArgv: ['-e', ${JSON.stringify(worker)}] })
    const forked = cluster.fork()
    forked.on('exit', (code) => process.exit(code))
    setTimeout(() => forked.kill(), 5000)`)
  assert.deepEqual({ stdout, code }, { stdout: '{"url":null}\n', code: 0 })
})

test('after stop() nothing is left: no timers, no listeners, no globals, no port', async (t) => {
  const { stdout } = await run(t, `
    const before = JSON.stringify([process.eventNames().sort(), Object.getOwnPropertyNames(Error).sort(), Error.stackTraceLimit])
    const agent = require(${PACKAGE}).start(${quiet})
    agent.ready.then(async ({ url }) => {
      await agent.stop()
      const after = JSON.stringify([process.eventNames().sort(), Object.getOwnPropertyNames(Error).sort(), Error.stackTraceLimit])
      const refused = await fetch(url).then(() => false, () => true)
      console.log(JSON.stringify({ equal: before === after, symbol: Symbol.for('loopwatch.agent.1') in globalThis, refused }))
    })`)
  assert.deepEqual(JSON.parse(stdout), { equal: true, symbol: false, refused: true })
})

test('start() in a worker thread watches nothing and harms nothing', async (t) => {
  const { stdout, stderr, code } = await run(t, `
    const { Worker } = require('node:worker_threads')
    new Worker(\`
      const agent = require(${PACKAGE}).start(${quiet})
      agent.ready.then(async ({ url }) => {
        console.log(JSON.stringify({ url, blocks: await agent.blocks(), metrics: await agent.metrics() }))
        await agent.stop()
      })\`, { eval: true })`)
  assert.deepEqual({ stderr, code, ...JSON.parse(stdout) }, { stderr: '', code: 0, url: null, blocks: [], metrics: '' })
})

test('the event "block" and the diagnostics channel carry the record', async (t) => {
  const { stdout } = await run(t, `
    const channel = require('node:diagnostics_channel')
    const agent = require(${PACKAGE}).start(${quiet})
    let published
    channel.subscribe('loopwatch:block', (record) => { published = record.id })
    let again
    agent.on('block', async (record) => {
      if (record.frame?.function !== 'hold') return
      console.log(JSON.stringify({ frame: record.frame.function, ongoing: record.ongoing, published: published === record.id }))
      clearInterval(again)
      await agent.stop()
    })
    ${HOLD}
    // On a busy machine no code may be to blame for the first.
    agent.ready.then(() => { again = setInterval(hold, 600, 200) })`)
  assert.deepEqual(JSON.parse(stdout.split('\n')[0]), { frame: 'hold', ongoing: false, published: true })
})

test('stop() during a block resolves, and the block is recorded', async (t) => {
  const dir = makeDir(t)
  const { code, stderr } = await run(t, `
    const agent = require(${PACKAGE}).start({ port: 0, log: false, dir: ${JSON.stringify(dir)} })
    ${HOLD}
    agent.ready.then(() => setTimeout(() => {
      hold(400)
      agent.stop()
      hold(100)
    }, 50))`)
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  const { readBlocks } = require('../../lib/store/block-file')
  const { records } = readBlocks(dir)
  const isWhole = (/** @type {any} */ { durationMs, startup, ongoing }) => durationMs > 300 && !startup && !ongoing
  assert.ok(records.some(isWhole), JSON.stringify(records))
})

test('process.exit() in mid-block keeps its code and says nothing more', async (t) => {
  for (const during of ['const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000);', "require('node:crypto').pbkdf2Sync('a', 'b', 500000, 32, 'sha512');"]) {
    for (const [leave, code] of /** @type {[string, number][]} */ ([['process.exit(7)', 7], ['process.exitCode = 3', 3]])) {
      const result = await run(t, `
        const agent = require(${PACKAGE}).start(${quiet})
        setTimeout(() => { ${during} ${leave} }, 150)`)
      assert.deepEqual({ code: result.code, stdout: result.stdout, stderr: result.stderr }, { code, stdout: '', stderr: '' }, leave)
    }
  }
})

test('an uncaught throw in mid-block prints what it prints without the agent', async (t) => {
  const script = (/** @type {string} */ first) => `${first}\nsetTimeout(function boom () { const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); throw new Error('thrown') }, 150)`
  const without = await run(t, script('0'))
  const watched = await run(t, script(`require(${PACKAGE}).start(${quiet})`))
  assert.deepEqual(watched, without)
})

test('Error.prepareStackTrace and stackTraceLimit of the application survive captures, frozen or absent', async (t) => {
  const { stdout } = await run(t, `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const mine = (error, sites) => 'mine ' + sites.length
    Error.prepareStackTrace = mine
    Error.stackTraceLimit = 3
    ${HOLD}
    ${AGAIN}
    const isOf = ({ frame }) => frame?.function === 'hold'
    const count = async () => (await again(() => setTimeout(hold, 50, 300), isOf)).filter(isOf).length
    agent.ready.then(async () => {
      const first = await count()
      const deep = (depth) => depth === 0 ? new Error('x').stack : deep(depth - 1)
      const kept = Error.prepareStackTrace === mine && Error.stackTraceLimit === 3 && deep(5) === 'mine 3'
      delete Error.prepareStackTrace
      delete Error.stackTraceLimit
      const second = await count()
      console.log(JSON.stringify({ kept, absent: !('prepareStackTrace' in Error) || Error.prepareStackTrace === undefined, limit: 'stackTraceLimit' in Error }))
      console.log(first > 0 && second > 0)
      await agent.stop()
    })`)
  const [state, areCaptured] = stdout.trim().split('\n')
  assert.deepEqual(JSON.parse(state), { kept: true, absent: true, limit: false })
  assert.equal(areCaptured, 'true')
})

test('an agent that is started in a request keeps nothing of it: its events come in no request', async (t) => {
  const { stdout, code } = await run(t, `
    const { AsyncLocalStorage } = require('node:async_hooks')
    const { start } = require(${PACKAGE})
    const storage = new AsyncLocalStorage()
    const agent = storage.run('the first request', () => start(${quiet}))
    const alive = setInterval(() => {}, 1000)
    agent.on('block', () => {
      console.log(String(storage.getStore()))
      clearInterval(alive)
      agent.stop()
    })
    agent.ready.then(() => setTimeout(() => {
      for (const end = performance.now() + 200; performance.now() < end;);
    }, 100))`)
  assert.equal(code, 0)
  assert.equal(stdout.split('\n')[0], 'undefined')
})

test('with gc: \'off\' collections are neither counted nor observed', async (t) => {
  const script = (/** @type {string} */ gc) => `
    const { PerformanceObserver } = require('node:perf_hooks')
    let observed = 0
    const { observe } = PerformanceObserver.prototype
    PerformanceObserver.prototype.observe = function (options) { observed++; return observe.call(this, options) }
    const agent = require(${PACKAGE}).start({ port: 0, log: false, gc: '${gc}' })
    agent.ready.then(async () => {
      for (let i = 0; i < 5; i++) globalThis.gc()
      const count = async () => [...(await agent.metrics()).matchAll(/^loopwatch_gc_duration_seconds_count\\S* (\\d+)$/gm)].reduce((sum, [, each]) => sum + Number(each), 0)
      let counted = 0
      for (let i = 0; i < ('${gc}' === 'on' ? 100 : 3) && counted < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        counted = await count()
      }
      console.log(JSON.stringify({ observed, counted: counted >= 5 ? 'all' : counted }))
      await agent.stop()
    })`
  for (const [gc, seen] of /** @type {const} */ ([['on', { observed: 1, counted: 'all' }], ['off', { observed: 0, counted: 0 }]])) {
    const { stdout } = await run(t, script(gc), ['--expose-gc'])
    assert.deepEqual(JSON.parse(stdout), seen, gc)
  }
})

test('source maps lead to the original file', async (t) => {
  const ts = require('typescript')
  const dir = makeDir(t)
  const source = 'interface Order { id: number }\n\n\nfunction report (order: Order): void {\n  const end = Date.now() + 250\n  while (Date.now() < end);\n}\n' +
    `const agent = require(${PACKAGE}).start({ port: 0 })\nconst again = setInterval(() => report({ id: 1 }), 1500)\n` +
    'agent.on(\'block\', ({ frame, excused }) => frame?.function === \'report\' && !excused && clearInterval(again))\n'
  const { outputText, sourceMapText } = ts.transpileModule(source, { fileName: path.join(dir, 'report.ts'), compilerOptions: { sourceMap: true, module: ts.ModuleKind.CommonJS } })
  fs.writeFileSync(path.join(dir, 'report.js'), outputText)
  fs.writeFileSync(path.join(dir, 'report.js.map'), /** @type {string} */ (sourceMapText))
  const { stdout } = await startNode(t, [path.join(dir, 'report.js')]).closed
  const settled = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).find(({ event, frame, excused }) => event === 'settled' && frame?.function === 'report' && !excused)
  assert.equal(settled?.frame.file, path.join(dir, 'report.ts'), stdout)
  assert.equal(settled.frame.line, 6)
})

test('start() right after stop() gives an agent that watches', async (t) => {
  const { stdout } = await run(t, `
    const { start } = require(${PACKAGE})
    const first = start(${quiet})
    first.ready.then(async () => {
      const stopping = first.stop()
      const second = start(${quiet})
      await stopping
      const { url } = await second.ready
      console.log(JSON.stringify({ renewed: first !== second, url: typeof url, kept: start() === second }))
      await second.stop()
    })`)
  assert.deepEqual(JSON.parse(stdout), { renewed: true, url: 'string', kept: true })
})

test('agent.load() tells a health check of a block that has just ended, and of the time since the start', async (t) => {
  const { stdout, stderr, code } = await run(t, `
    const http = require('node:http')
    const agent = require(${PACKAGE}).start({ port: false, log: false })
    const server = http.createServer((request, response) => {
      const { lastSecond, sinceStart } = agent.load()
      response.statusCode = lastSecond.delayMs.p99 > 200 ? 503 : 200
      response.end(JSON.stringify({ lastSecond, sinceStart }))
    }).listen(0, '127.0.0.1', async () => {
      await agent.ready
      await new Promise((resolve) => setTimeout(resolve, 300))
      const answer = fetch('http://127.0.0.1:' + server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400))
      const response = await answer
      console.log(JSON.stringify({ status: response.status, ...await response.json() }))
      server.close()
      await agent.stop()
      process.exit()
    })`)
  assert.deepEqual({ stderr, code }, { stderr: '', code: 0 })
  const { status, lastSecond, sinceStart } = JSON.parse(stdout)
  assert.equal(status, 503)
  assert.ok(lastSecond.delayMs.max >= 300 && lastSecond.delayMs.p50 <= lastSecond.delayMs.max, stdout)
  for (const { utilization } of [lastSecond, sinceStart]) assert.ok(utilization >= 0 && utilization <= 1, stdout)
})

test('however early stop() comes, no CPU profile starts after it', async (t) => {
  const { stdout, code } = await run(t, `
    const { HostProfiler } = require(${JSON.stringify(path.join(ROOT, 'lib', 'host', 'sense', 'profile', 'profiler'))})
    const { run } = HostProfiler.prototype
    let isStopped = false
    const late = []
    HostProfiler.prototype.run = function (action) {
      if (isStopped) late.push(action)
      return run.call(this, action)
    }
    const { setTimeout: sleep } = require('node:timers/promises')
    ;(async () => {
      for (let ms = 0; ms <= 250; ms += 50) {
        const agent = require(${PACKAGE}).start({ port: false, log: false })
        await sleep(ms)
        const stopped = agent.stop()
        isStopped = true
        await stopped
        await sleep(20)
        isStopped = false
      }
      console.log(JSON.stringify(late))
    })()`)
  assert.deepEqual([code, JSON.parse(stdout)], [0, []])
})

test('a part that cannot be stopped keeps no other one from it', async (t) => {
  const { stdout, code } = await run(t, `
    const { HostProfiler } = require(${JSON.stringify(path.join(ROOT, 'lib', 'host', 'sense', 'profile', 'profiler'))})
    HostProfiler.prototype.stop = () => { throw new TypeError('frozen') }
    const agent = require(${PACKAGE}).start({ port: false, log: false })
    agent.ready.then(() => agent.stop()).then(() => console.log('stopped'))`)
  assert.deepEqual([code, stdout], [0, 'stopped\n'])
})
