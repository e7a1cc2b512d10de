'use strict'

// Takes more than half a minute: two dozen processes in turn, and what is lost is tried again after one to five
// seconds.
// runtime: the inspector, permissions, the end of threads
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { ownsProfile } = require('../../lib/host/runtime')
const { AGAIN } = require('../support/again')
const { startApp, startNode, eventually, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
const NETWORK_FLAG = '--experimental-network-inspection'
const OWN_WORKER = path.join(FIXTURES, 'own-worker.js')
/** On a busy machine until half of the time was spent on a CPU. */
const HOLD = `function hold () {
  const [end, from] = [Date.now() + 200, process.cpuUsage()]
  while (Date.now() < end || process.cpuUsage(from).user < 100_000);
}`

/** @param {{ out: { stdout: string } }} app */
const degraded = (app, /** @type {string} */ reason) => app.out.stdout.split('\n').filter((line) => line.includes('"event":"degraded"') && line.includes(`"reason":"${reason}"`))

/** An address of this machine that no other run of this test has taken a port of. */
const LOOPBACK = process.platform === 'linux' ? `127.1.${(process.pid >> 8) & 255}.${(process.pid & 255) || 1}` : '127.0.0.1'

test('every port taken: the application goes on, the log says so once, and the port is tried again', async (t) => {
  // After the last port there is none to try.
  const port = 65535
  const server = net.createServer()
  server.listen(port, LOOPBACK)
  await once(server, 'listening')
  const app = await startApp(t, { options: { port, host: LOOPBACK } })
  assert.equal(app.url, null)
  // On a busy machine no code may be to blame for the first.
  await eventually(async () => {
    await app.get('/spin?ms=200')
    return app.lines().some(({ event, frame }) => event === 'settled' && frame?.function === 'spin')
  }, () => `the block in the log: ${app.out.stdout}`)
  server.close()
  await app.line(({ event }) => event === 'recovered', 'the endpoint to come back')
  assert.equal((await fetch(`http://${LOOPBACK}:${port}/healthz`)).status, 200)
  assert.match(await (await fetch(`http://${LOOPBACK}:${port}/metrics`)).text(), /loopwatch_degraded\{reason="endpoint"\} 0/)
  assert.equal(degraded(app, 'endpoint').length, 1)
})

test('the watchdog thread ends: it is started again, and blocks of the time without it are counted as missed', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-r', OWN_WORKER, '-e', `
    ${HOLD}
    ${AGAIN}
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const alive = setInterval(() => {}, 1000)
    agent.ready.then(async () => {
      setTimeout(hold, 30)
      await new Promise((resolve) => setTimeout(resolve, 400))
      await watchdogs[0].terminate()
      const without = await agent.metrics()
      hold()
      const missedAt = Date.now()
      const isHeld = ({ frame }) => frame?.function === 'hold'
      while (watchdogs.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      await new Promise((resolve) => watchdogs[1].once('message', resolve))
      await again(() => setTimeout(hold, 30), isHeld)
      const metrics = await agent.metrics()
      const blocks = await agent.blocks()
      const isEarly = ({ startedAt }) => Date.parse(startedAt) < missedAt
      console.log(JSON.stringify({ without, missed: Number(/dropped_total\\{reason="missed_block"\\} (\\d+)/.exec(metrics)?.[1]), hasNext: blocks.some(isHeld), hasMissed: blocks.filter(isHeld).some(isEarly), ids: new Set(blocks.map(({ id }) => id)).size === blocks.length }))
      clearInterval(alive)
      await agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const { missed, ...rest } = JSON.parse(stdout)
  assert.deepEqual(rest, { without: '', hasNext: true, hasMissed: false, ids: true })
  // A busy machine adds its own.
  assert.ok(missed >= 1, `${missed}`)
  assert.match(stderr, /LOOPWATCH_WARN_WATCHDOG/)
  assert.equal(stderr.match(/LOOPWATCH_WARN_WATCHDOG/g)?.length, 1)
})

test('the watchdog runs out of memory: the application does not, and a new watchdog is started', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-r', OWN_WORKER, '-e', `
    require(${PACKAGE}).start({ port: 0, log: false })
    const again = setInterval(() => {
      if (watchdogs.length < 2) return
      clearInterval(again)
      console.log('restarted')
    }, 20)`], { env: { TEST_WATCHDOG_HEAP_MB: '4' } }).closed
  assert.deepEqual({ stdout, code }, { stdout: 'restarted\n', code: 0 }, stderr)
  assert.match(stderr, /memory/i)
})

test('a host stuck while the watchdog ends does not crash, and has a watchdog again afterwards', async (t) => {
  const { stdout, code } = await startNode(t, ['-r', OWN_WORKER, '-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const alive = setInterval(() => {}, 1000)
    agent.ready.then(async () => {
      watchdogs[0].terminate()
      const end = Date.now() + 300
      while (Date.now() < end);
      while (watchdogs.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      await new Promise((resolve) => watchdogs[1].once('message', resolve))
      console.log((await agent.blocks()).length > 0)
      clearInterval(alive)
      await agent.stop()
    })`]).closed
  assert.deepEqual({ stdout, code }, { stdout: 'true\n', code: 0 })
})

test('a dir that cannot be written is logged once and counted, and the rest works', async (t) => {
  const file = path.join(makeDir(t), 'file')
  fs.writeFileSync(file, '')
  const app = await startApp(t, { options: { dir: file } })
  await eventually(() => degraded(app, 'dir').length === 1, 'it to be said before there is any block')
  for (let i = 0; i < 3; i++) await app.get('/spin?ms=100')
  await eventually(() => app.lines().filter(({ event }) => event === 'settled').length >= 3, 'three blocks in the log')
  const metrics = await (await app.watchdog('/metrics')).text()
  assert.match(metrics, /loopwatch_degraded\{reason="dir"\} 1/)
  assert.match(metrics, /events_dropped_total\{reason="record"\} [1-9]/)
  assert.equal(degraded(app, 'dir').length, 1)
})

test('a log file that cannot be written causes one process warning', async (t) => {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    const log = { destination: ${JSON.stringify(path.join(os.tmpdir(), 'no such folder', 'app.log'))} }
    const agent = require(${PACKAGE}).start({ port: false, log })
    agent.ready.then(() => setTimeout(() => agent.stop(), 100))`]).closed
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
  assert.equal(stderr.match(/\[LOOPWATCH_WARN_LOG\] LoopwatchWarning: loopwatch: log lines cannot be written: ENOENT/g)?.length, 1, stderr)
})

test('stdout closed by its reader: the application lives, the loss is counted', async (t) => {
  const app = await startApp(t)
  app.child.stdout?.destroy()
  for (let i = 0; i < 3; i++) await app.get('/spin?ms=100')
  await eventually(async () => /degraded\{reason="log"\} 1/.test(await (await app.watchdog('/metrics')).text()), 'the degradation in the metrics')
  assert.equal((await app.get('/')).status, 200)
})

test('without permission to use the inspector durations remain, and the log says what is missing', async (t) => {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  const { stdout, stderr, code } = await startNode(t, [flag, '--allow-worker', '--allow-fs-read=*', '--no-warnings', '-e', `
    ${HOLD}
    const agent = require(${PACKAGE}).start({ port: false, profile: 'on' })
    ${AGAIN}
    const isOf = ({ durationMs, frame }) => durationMs >= 199 && (frame !== null || !${ownsProfile()})
    agent.ready.then(async () => {
      await again(() => setTimeout(hold, 50), isOf)
      await agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const settled = lines.findLast(({ event, durationMs }) => event === 'settled' && durationMs >= 199)
  assert.equal(settled.frame?.function ?? null, ownsProfile() ? 'hold' : null)
  assert.equal(lines.filter(({ event, reason }) => event === 'degraded' && reason === 'inspector').length, 1, stdout)
})

/** @param {string} node */
const knowsNetworkFlag = (node) => spawnSync(node, [NETWORK_FLAG, '-e', '0']).status === 0

test('with --experimental-network-inspection a session of the application\'s own hears of every request, and durations remain', {
  skip: !knowsNetworkFlag(process.env.TEST_NODE ?? process.execPath) && `no ${NETWORK_FLAG} in this Node.js`
}, async (t) => {
  const { stdout, stderr, code } = await startNode(t, [NETWORK_FLAG, '--no-warnings', '-e', `
    ${HOLD}
    const http = require('node:http')
    const { Session } = require('node:inspector')
    ${AGAIN}
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    const agent = require(${PACKAGE}).start({ port: false, profile: 'on' })
    const session = new Session()
    session.connect()
    let told = 0
    session.on('Network.requestWillBeSent', () => told++)
    session.post('Network.enable')
    const server = http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1', async () => {
      const { port } = server.address()
      const ask = () => new Promise((resolve) => http.get({ port }, (response) => response.resume().on('end', resolve)))
      await agent.ready
      await ask()
      const first = told
      await sleep(1500)
      const isOf = ({ durationMs, frame }) => durationMs >= 199 && (frame !== null || !${ownsProfile()})
      await again(() => setTimeout(hold, 10), isOf)
      await ask()
      const second = told
      await ask()
      console.log(JSON.stringify({ told: [first, second, told] }))
      await agent.stop()
      process.exit()
    })`]).closed
  assert.deepEqual({ stderr, code }, { stderr: '', code: 0 })
  const lines = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  assert.deepEqual(lines.find(({ told }) => told)?.told, [1, 2, 3], stdout)
  const settled = lines.filter(({ event, durationMs }) => event === 'settled' && durationMs >= 199)
  // On a busy machine there are others.
  const expected = ownsProfile() ? 'hold' : null
  assert.ok(settled.some(({ frame }) => (frame?.function ?? null) === expected), stdout)
  const said = lines.filter(({ event, reason }) => event === 'degraded' && reason === 'inspector')
  assert.equal(said.length, 1, stdout)
  assert.match(said[0].msg, /--experimental-network-inspection/)
})

test('without permission to start threads the application runs, and one warning says so', async (t) => {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  const { stdout, stderr, code } = await startNode(t, [flag, '--allow-fs-read=*', '-e', `
    const agent = require(${PACKAGE}).start({ port: 0 })
    agent.ready.then(async ({ url }) => console.log(JSON.stringify({ url, metrics: await agent.metrics(), blocks: await agent.blocks() })))`]).closed
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { url: null, metrics: '', blocks: [] })
  assert.equal(stderr.match(/LOOPWATCH_WARN_WATCHDOG/g)?.length, 1, stderr)
})

test('an application that replaces built-ins and forbids property tampering is still understood', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    ${HOLD}
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    agent.ready.then(() => {
      String.prototype.slice = String.prototype.indexOf = Array.prototype.map = JSON.stringify = performance.now = () => { throw new Error('replaced') }
      Error.captureStackTrace = Object.defineProperty
      let tries = 0
      // On a busy machine no code may be to blame for the first.
      setInterval(async () => {
        const blocks = await agent.blocks()
        const isNamed = blocks.some(({ frame }) => frame && frame.function === 'hold')
        if (!isNamed && tries++ < 20) return hold()
        process.stdout.write(String(isNamed))
        process.exit()
      }, 500)
    })`]).closed
  assert.deepEqual({ stdout, code }, { stdout: 'true', code: 0 }, stderr)
})

test('a frozen Error takes the frames, not the rest of what is known', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    ${HOLD}
    ${AGAIN}
    const agent = require(${PACKAGE}).start({ port: 0, log: false, profile: 'off' })
    agent.ready.then(() => {
      Object.freeze(Error)
      const isSampled = ({ durationMs, samples }) => durationMs >= 199 && samples > 0
      again(() => setTimeout(hold, 50), isSampled).then((blocks) => {
        const { frame = 'none' } = blocks.find(isSampled) ?? {}
        console.log(JSON.stringify({ frame, sampled: blocks.some(isSampled) }))
        return agent.stop()
      })
    })`]).closed
  assert.deepEqual(JSON.parse(stdout || 'null'), { frame: null, sampled: true }, stderr)
})

test('frames are found in a module whose name is all of its text', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    ${AGAIN}
    const text = 'export function compute () { for (const end = performance.now() + 200; performance.now() < end;); } // ' + 'x'.repeat(100000)
    Promise.all([import('data:text/javascript,' + encodeURIComponent(text)), agent.ready]).then(([{ compute }]) => {
      again(() => setTimeout(compute, 50), ({ frame }) => frame?.function === 'compute').then((blocks) => {
        const frames = blocks.map(({ frame }) => frame).filter((frame) => frame?.function === 'compute')
        console.log(JSON.stringify(frames.map(({ file }) => file.length)))
        return agent.stop()
      })
    })`]).closed
  const lengths = JSON.parse(stdout || '[]')
  assert.ok(lengths.length > 0 && lengths.every((/** @type {number} */ length) => length <= 4096), stdout + stderr)
})

test('frames are found where properties of Error cannot be defined anew, or every object has a `get`, and all is left as it was', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    ${HOLD}
    ${AGAIN}
    const mine = (error, sites) => 'mine ' + sites.length
    const faults = [
      () => { Object.prototype.get = Object.prototype.set = () => {} },
      () => {
        delete Object.prototype.get
        delete Object.prototype.set
        Object.defineProperty(Error, 'stackTraceLimit', { value: 1, writable: true, configurable: false })
        Object.defineProperty(Error, 'prepareStackTrace', { value: mine, writable: true, configurable: false })
      }
    ]
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const isHeld = ({ frame }) => frame?.function === 'hold'
    agent.ready.then(async () => {
      const held = []
      for (const [i, fault] of faults.entries()) {
        fault()
        const before = JSON.stringify([Error.stackTraceLimit, Object.getOwnPropertyNames(Error)])
        held.push((await again(() => setTimeout(hold, 50), isHeld)).some(isHeld))
        faults[i] = before === JSON.stringify([Error.stackTraceLimit, Object.getOwnPropertyNames(Error)])
      }
      console.log(JSON.stringify({ held, faults, stack: new Error().stack }))
      await agent.stop()
    })`]).closed
  assert.deepEqual(JSON.parse(stdout || 'null'), { held: [true, true], faults: [true, true], stack: 'mine 1' }, stderr)
})

test('a question that is lost on its way costs a second of samples, not those of the whole block', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const kAgent = Symbol.for('loopwatch.agent.1')
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    ${AGAIN}
    function hold () {
      const endMs = performance.now() + 2000
      // Nobody is there to answer.
      globalThis[kAgent] = undefined
      while (performance.now() < endMs - 1500);
      globalThis[kAgent] = agent
      while (performance.now() < endMs);
    }
    agent.ready.then(() => {
      const isOf = ({ durationMs, frame, excused }) => durationMs > 1900 && frame !== null && !excused
      again(() => setTimeout(hold, 300), isOf, 5).then((blocks) => {
        const block = blocks.find(isOf)
        // One that waited for a CPU for most of its time is of the machine.
        const cause = block.cause === 'starved' ? 'js' : block.cause
        console.log(JSON.stringify({ held: block.frame.function, cause, isNative: block.evidence.nativeMs > block.durationMs / 4 }))
        return agent.stop()
      })
    })`]).closed
  assert.deepEqual(JSON.parse(stdout || 'null'), { held: 'hold', cause: 'js', isNative: false }, stderr)
})

test('timers that a test suite replaces after start() do not stop the heartbeat', async (t) => {
  const { stdout } = await startNode(t, ['-e', `
    const { setTimeout: real } = globalThis
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    globalThis.setTimeout = globalThis.setInterval = globalThis.clearTimeout = () => ({ unref () {}, refresh () {} })
    real(async () => {
      console.log(JSON.stringify((await agent.blocks()).filter(({ startup }) => !startup).map(({ durationMs }) => durationMs)))
      await agent.stop()
    }, 2000)`]).closed
  // Without a heartbeat all of the two seconds would be one; a busy machine has shorter ones.
  assert.ok(JSON.parse(stdout).every((/** @type {number} */ ms) => ms < 1000), stdout)
})

test('a source that is a pipe is not read: the watchdog answers and the process ends', async (t) => {
  const dir = makeDir(t)
  const fifo = path.join(dir, 'source.js')
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0)
  const { stdout, code } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    agent.ready.then(() => setTimeout(() => {
      require('node:vm').runInThisContext('const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000);', { filename: ${JSON.stringify(fifo)} })
      const end = performance.now() + 10000
      setInterval(async () => {
        const isNamed = (await agent.blocks()).some(({ frame }) => frame?.file === ${JSON.stringify(fifo)})
        if (!isNamed && performance.now() < end) return
        console.log(isNamed)
        process.exit(4)
      }, 100)
    }, 500))`]).closed
  assert.deepEqual({ stdout, code }, { stdout: 'true\n', code: 4 })
})

test('stuck does not count the time in which the whole process was stopped', { skip: process.platform === 'win32' }, async (t) => {
  const app = await startApp(t, { options: { stuck: 2000, onStuck: 'abort' } })
  const answer = app.get('/spin?ms=300')
  await app.line(({ event }) => event === 'opened', 'the block to be opened')
  app.child.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 2500))
  app.child.kill('SIGCONT')
  assert.equal((await answer).status, 200)
  assert.equal((await app.get('/')).status, 200)
})

test('a block that directly follows another is logged while it is in progress', async (t) => {
  const { stdout } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0 })
    const hold = (ms) => { const [end, from] = [Date.now() + ms, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < ms * 500); }
    agent.ready.then(() => setTimeout(() => {
      hold(150)
      setImmediate(() => setTimeout(() => setImmediate(() => { hold(2600); setTimeout(() => agent.stop(), 100) }), 12))
    }, 50))`]).closed
  const lasting = stdout.split('\n').filter((line) => line.includes('"event":"lasting"'))
  assert.ok(lasting.length >= 1, stdout)
})

test('a watchdog thread that cannot be constructed: one warning, and the application runs on', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    require(${PACKAGE} + '/lib/host/watchdog-thread').WatchdogThread = class { constructor () { throw new RangeError('no stack left') } }
    const { start } = require(${PACKAGE})
    const agent = start({ port: 0, log: false })
    setTimeout(async () => {
      console.log((await agent.ready).url)
      await agent.stop()
    }, 100)`]).closed
  assert.deepEqual({ stdout, code }, { stdout: 'null\n', code: 0 }, stderr)
  assert.equal(stderr.match(/LOOPWATCH_WARN_START/g)?.length, 1, stderr)
})
