'use strict'

// What a preload in NODE_OPTIONS does to the processes that nobody means by it.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { eachOf } = require('../support/each-of')
const { makeDir } = require('../support/files')
const { freePort } = require('../support/tools')

const PACKAGES = path.join(__dirname, '..', '..', 'node_modules')
const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
const NODE_OPTIONS = `--require "${REGISTER}"`
/** The loop idles between the blocks, as that of a tool that reads files. */
const BLOCKING = 'let left = 9; const hold = () => { const [end, from] = [Date.now() + 150, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 75000); if (--left > 0) setTimeout(hold, 150) }; setTimeout(hold, 300);'
const SERVER = "require('node:http').createServer((request, response) => response.end('app')).listen(0, () => console.log(process.pid))"
/** Runs its arguments as a process of its own, as cross-env and dotenv-cli do, again and again as nodemon does. */
const LAUNCHER = `
  const { spawn } = require('node:child_process')
  const start = () => spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' }).on('exit', start)
  start()`

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function writeFiles (t, files) {
  const dir = makeDir(t)
  for (const [name, source] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    fs.writeFileSync(path.join(dir, name), source)
  }
  return dir
}

/** @param {string} text */
const eventsIn = (text) => text.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))

test('tools print nothing and open nothing, however often they block', async (t) => {
  const dir = writeFiles(t, { 'node_modules/tool/bin.js': BLOCKING, '.yarn/releases/yarn-4.9.1.cjs': BLOCKING })
  const runs = [['-e', BLOCKING], ['node_modules/tool/bin.js'], ['.yarn/releases/yarn-4.9.1.cjs'], ...[['eslint', 'bin', 'eslint.js'], ['typescript', 'bin', 'tsc']].map((bin) => [path.join(PACKAGES, ...bin), '--version'])]
  await eachOf(runs, 3, async (args) => {
    const { stderr, code } = await startNode(t, args, { cwd: dir, env: { NODE_OPTIONS, LOOPWATCH_PORT: '0' } }).closed
    assert.deepEqual({ stderr, code }, { stderr: '', code: 0 }, args.join(' '))
  })
})

test('a script of your own prints its blocks and nothing else: no port, no banner, nothing of its start', async (t) => {
  const dir = writeFiles(t, { 'script.js': `const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); ${BLOCKING}` })
  const { stderr } = await startNode(t, [path.join(dir, 'script.js')], { env: { NODE_OPTIONS, LOOPWATCH_PORT: '0' } }).closed
  const lines = eventsIn(stderr)
  assert.ok(lines.some(({ event, frame }) => event === 'settled' && frame?.function === 'hold'), stderr)
  assert.deepEqual(lines.filter(({ event, msg }) => event === 'listening' || (event !== 'degraded' && / at startup/.test(msg))), [])
})

test('a server has its endpoint once it has listened for a second; a port that is taken is information', async (t) => {
  const dir = writeFiles(t, { 'server.js': SERVER })
  const taken = net.createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = /** @type {net.AddressInfo} */ (taken.address())
  const { out } = startNode(t, [path.join(dir, 'server.js')], { env: { NODE_OPTIONS, LOOPWATCH_PORT: `${port}` } })
  const line = await eventually(() => eventsIn(out.stderr.slice(0, out.stderr.lastIndexOf('\n') + 1)).find(({ event }) => event === 'listening'), () => `an endpoint: ${out.stderr}`)
  assert.equal(line.level, 30)
  assert.match(line.msg, /is taken/)
})

test('named work opens the endpoint as well, and so does start() in the code at once', async (t) => {
  const lib = JSON.stringify(path.join(__dirname, '..', '..'))
  const dir = writeFiles(t, {
    'worker.js': `setInterval(() => require(${lib}).run('job', () => {}), 100)`,
    'started.js': `require(${lib}).start().ready.then(({ url }) => { console.log(url); process.exit() })`
  })
  const { out } = startNode(t, [path.join(dir, 'worker.js')], { env: { NODE_OPTIONS, LOOPWATCH_PORT: '0' } })
  await eventually(() => out.stderr.includes('"listening"'), () => `an endpoint: ${out.stderr}`)
  const { stdout } = await startNode(t, [path.join(dir, 'started.js')], { env: { NODE_OPTIONS, LOOPWATCH_PORT: '0' } }).closed
  assert.match(stdout, /^http:/)
})

test('a launcher leaves the port to its application, also when it starts it again', async (t) => {
  const dir = writeFiles(t, { 'server.js': SERVER, 'launch.js': LAUNCHER, 'node_modules/cross-env/bin.js': LAUNCHER })
  await eachOf(['launch.js', 'node_modules/cross-env/bin.js'], 2, async (launcher) => {
    const port = Number(await freePort())
    const env = { NODE_OPTIONS, LOOPWATCH_PORT: `${port}` }
    const { out } = startNode(t, [path.join(dir, launcher), path.join(dir, 'server.js')], { env })
    const applications = () => out.stdout.split('\n').filter(Boolean).map(Number)
    const end = (/** @type {number} */ pid) => { try { process.kill(pid, 'SIGKILL') } catch {} }
    t.after(() => applications().forEach(end))
    for (const count of [1, 2]) {
      await eventually(() => applications().length === count, () => `application ${count} of ${launcher}: ${JSON.stringify(out)}`)
      const pid = applications()[count - 1]
      await eventually(() => out.stderr.includes(`"pid":${pid},`), () => `its endpoint: ${JSON.stringify(out)}`)
      if (count === 1) end(pid)
    }
    const listening = eventsIn(out.stderr).filter(({ event }) => event === 'listening')
    const seen = listening.map(({ pid, url }) => ({ pid, port: Number(new URL(url).port) }))
    assert.deepEqual(seen, applications().map((pid) => ({ pid, port })))
  })
})

const TESTED = `
  const assert = require('node:assert/strict')
  const { setTimeout: sleep } = require('node:timers/promises')
  const hasAgent = () => Symbol.for('loopwatch.agent.1') in globalThis
  require('node:test')('a server', async () => {
    require('node:http').createServer().listen(0).unref()
    let [lastMs, mostMs] = [Infinity, 0]
    const beats = setInterval(() => { [lastMs, mostMs] = [performance.now(), Math.max(mostMs, performance.now() - lastMs)] }, 10)
    await sleep(1500)
    clearInterval(beats)
    // A machine that is busy with much else blocks the loop as well.
    assert.ok(!hasAgent() || mostMs > 40, 'watched though nothing blocked')
    const untilMs = performance.now() + 200
    while (performance.now() < untilMs);
    for (let i = 0; i < 1500 && !hasAgent(); i++) await sleep(20)
    assert.ok(hasAgent(), 'not watched after a block')
  })`

test('a process of a test runner is watched from its first block on', async (t) => {
  const dir = writeFiles(t, { 'server.test.js': TESTED })
  const { stdout, code } = await startNode(t, ['--test', path.join(dir, 'server.test.js')], { env: { NODE_OPTIONS, LOOPWATCH_PORT: '0' } }).closed
  assert.equal(code, 0, stdout)
})

test('LOOPWATCH_ONLY and LOOPWATCH_SKIP say by the main file who is watched', async (t) => {
  const isWatched = "console.log(Symbol.for('loopwatch.agent.1') in globalThis); process.stdin.resume()"
  const dir = writeFiles(t, { 'server.js': isWatched, 'node_modules/tool/cli.js': isWatched })
  /** @type {[string, Record<string, string>, boolean][]} */
  const runs = [
    ['server.js', { LOOPWATCH_ONLY: 'worker|server' }, true], ['server.js', { LOOPWATCH_ONLY: 'worker' }, false],
    ['server.js', { LOOPWATCH_SKIP: 'serv*' }, false], ['server.js', { LOOPWATCH_SKIP: 'worker' }, true],
    ['node_modules/tool/cli.js', {}, false], ['node_modules/tool/cli.js', { LOOPWATCH_ONLY: 'tool/cli' }, true]
  ]
  await eachOf(runs, 3, async ([file, env, expected]) => {
    const { child, out, closed } = startNode(t, [path.join(dir, file)], { env: { NODE_OPTIONS, LOOPWATCH_PORT: '0', ...env } })
    await eventually(() => out.stdout, 'the answer')
    // Who is named shows itself at once.
    const isNamed = expected && env.LOOPWATCH_ONLY !== undefined
    if (isNamed) await eventually(() => out.stderr.includes('"listening"'), () => `an endpoint: ${out.stderr}`)
    child.stdin?.end()
    const { stdout, stderr } = await closed
    assert.equal(stdout, `${expected}\n`, JSON.stringify(env))
    assert.equal(stderr.includes('"listening"'), isNamed, stderr)
  })
})

test('who has lived for ten seconds shows itself, but for a tool and for who has children, and gives the port to a child', async (t) => {
  const dir = writeFiles(t, {
    'server.js': SERVER,
    'node_modules/tool/cli.js': 'process.stdin.resume()',
    'parent.js': "require('node:child_process').spawn('sleep', ['30']); process.stdin.resume()",
    'idle.js': `process.stdin.resume().on('data', () => require('node:child_process').spawn(process.execPath, [${JSON.stringify('server.js')}], { stdio: 'inherit', cwd: __dirname }))`
  })
  const port = Number(await freePort())
  const start = (/** @type {string} */ file, /** @type {string} */ LOOPWATCH_PORT) =>
    startNode(t, [path.join(dir, file)], { env: { NODE_OPTIONS, LOOPWATCH_PORT } })
  const others = ['node_modules/tool/cli.js', 'parent.js'].map((file) => start(file, '0'))
  const { child, out } = start('idle.js', `${port}`)
  const shown = () => eventsIn(out.stderr.slice(0, out.stderr.lastIndexOf('\n') + 1)).filter(({ event }) => event === 'listening')
  await eventually(() => shown().length === 1, () => `its own endpoint: ${out.stderr}`, 40000)
  child.stdin?.write('start a server\n')
  await eventually(() => shown().length === 2, () => `the endpoint of its child: ${out.stderr}`)
  const server = Number(out.stdout)
  t.after(() => { try { process.kill(server, 'SIGKILL') } catch {} })
  assert.deepEqual(shown().map(({ pid, url }) => [pid, Number(new URL(url).port)]), [[child.pid, port], [server, port]])
  for (const other of others) assert.doesNotMatch(other.out.stderr, /"listening"/)
  assert.equal(others[0].out.stderr, '')
})
