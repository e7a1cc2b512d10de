'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { text: readAll } = require('node:stream/consumers')
const { setTimeout: wait } = require('node:timers/promises')
const { clockTime, follow, tellAll } = require('../lib/cli/follow')
const { connect, findInspector, impostor } = require('../lib/tools/attach/inspector')
const { listenersOf, parseAddress } = require('../lib/tools/attach/listeners')
const { checkProcess, objection } = require('../lib/tools/attach/target-process')
const { startNode, eventually, FIXTURES } = require('./support/app')
const { makeDir } = require('./support/files')
const { makeRecord } = require('./support/record')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')

/** The application, started without loopwatch. @param {import('node:test').TestContext} t @param {{ mode?: string, flags?: string[], under?: string[], file?: string }} [setup] under: a command that runs it */
async function startTarget (t, { mode = '', flags = ['--inspect-port=0'], under = [], file = 'profiled.js' } = {}) {
  const [node, ...args] = [...under, process.execPath, ...flags, path.join(FIXTURES, file)]
  const app = startNode(t, args, { env: { TEST_MODE: mode }, node })
  const { port } = /** @type {{ port: number }} */ (await eventually(() => /^\{.*\}$/m.exec(app.out.stdout) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{.*\}$/m.exec(app.out.stdout))[0]), () => app.out.stderr))
  const pid = /** @type {number} */ (app.child.pid)
  return {
    ...app,
    pid,
    ports: () => listenersOf(pid)?.map((each) => each.port),
    ask: (/** @type {number} */ ms) => fetch(`http://127.0.0.1:${port}/?ms=${ms}`).then((response) => response.text()),
    enterNative: (/** @type {number} */ ms) => {
      fetch(`http://127.0.0.1:${port}/?native=${ms}`).catch(() => {})
      return eventually(() => /native/.test(app.out.stdout), 'the native call')
    },
    port
  }
}

/** @param {import('node:test').TestContext} t @param {(string | number)[]} args */
function attach (t, ...args) {
  const run = startNode(t, [CLI, 'attach', ...args.map(String)])
  return {
    ...run,
    says: (/** @type {RegExp} */ pattern) => eventually(() => pattern.exec(run.out.stdout + run.out.stderr), () => `${pattern}: ${run.out.stdout}${run.out.stderr}`),
    error: async () => {
      const { code, stderr } = await run.closed
      assert.equal(code, 2, stderr)
      return stderr
    }
  }
}

test('blocks of a process that was started without loopwatch, live, and nothing is left in it', async (t) => {
  const app = await startTarget(t, { file: 'profiled.mjs' })
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ by an agent in it, its inspector is closed again/)
  assert.match(run.out.stderr, /opening the inspector of process/)
  // In it listen its own server and the agent: no inspector, but an agent that asks for its token.
  await eventually(() => app.ports()?.length === 2, () => `ports ${app.ports()}`)
  const [agentPort] = /** @type {number[]} */ (app.ports()).filter((port) => port !== app.port)
  assert.equal((await fetch(`http://127.0.0.1:${agentPort}/blocks`)).status, 401)
  // Again and again: on a busy machine one may be judged starved, and blamed on no line.
  const asking = setInterval(() => app.ask(400).catch(() => {}), 1000)
  t.after(() => clearInterval(asking))
  await app.ask(400)
  await run.says(/event loop was blocked for \S+ m?s: culprit \(profiled\.js:\d+\)/)
  clearInterval(asking)
  await run.says(/^ {4}at culprit \(.*profiled\.js:\d+:\d+\)$/m)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  assert.match(stderr, /left process \d+: the agent in it is stopped, its inspector closed/)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(await app.ask(1), '2000')
})

test('an application that starts its own agent meanwhile has it, with its own options, and keeps it', async (t) => {
  const dir = path.join(makeDir(t), 'blocks')
  const app = startNode(t, ['--inspect-port=0', '-e', `process.on('SIGUSR2', () => require(${JSON.stringify(path.join(__dirname, '..'))}).start({ port: 0, log: false, threshold: 77 }).ready.then(({ url }) => console.log(url)))
    setInterval(() => {}, 1000); console.log('ready')`], { env: { LOOPWATCH_DIR: dir } })
  await eventually(() => /ready/.test(app.out.stdout), 'the application')
  const run = attach(t, /** @type {number} */ (app.child.pid))
  await run.says(/watching process \d+ by an agent in it/)
  assert.equal(fs.existsSync(dir), false, 'what the environment says is for its own')
  app.child.kill('SIGUSR2')
  const url = await eventually(() => /http\S+/.exec(app.out.stdout)?.[0], () => `its endpoint: ${app.out.stderr}`)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  assert.match(await (await fetch(`${url}/metrics`)).text(), /loopwatch_config_threshold_seconds 0\.077/)
  assert.equal(fs.existsSync(dir), true)
  assert.equal(app.out.stderr.includes('LOOPWATCH_WARN_STARTED'), false, app.out.stderr)
})

test('a process that is stuck in an endless loop: its stack by --once, and the block while it lasts', async (t) => {
  const app = await startTarget(t, { mode: 'stuck' })
  await eventually(() => /^stuck$/m.test(app.out.stdout), 'the endless loop')
  const once = await attach(t, app.pid, '--once').closed
  assert.match(once.stdout, /^process \d+ is\n {4}at (culprit|Timeout\.forever) .*profiled\.js[^]*Timeout\.forever/)
  assert.deepEqual([once.code, app.ports()?.length], [0, 1])

  const run = attach(t, app.pid)
  await run.says(/event loop blocked for .* so far: (culprit|forever) \(profiled\.js/)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(app.child.exitCode, null)
})

test('an application that puts a browser\'s `process` in place of its own is left with a closed inspector as well', async (t) => {
  const app = await startTarget(t, { mode: 'browser' })
  const before = app.ports()
  const once = await attach(t, app.pid, '--once').closed
  assert.equal(once.code, 0, once.stderr)
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ by an agent in it, its inspector is closed again/)
  await app.ask(300)
  await run.says(/event loop was blocked for/)
  run.child.kill('SIGINT')
  assert.match((await run.closed).stderr, /the agent in it is stopped, its inspector closed/)
  assert.deepEqual(app.ports(), before)
})

test('from outside nothing is loaded, and blocks show all the same', async (t) => {
  const app = await startTarget(t)
  assert.match((await attach(t, app.pid, '--once').closed).stdout, /waits for events/)
  const run = attach(t, app.pid, '--outside', '--threshold', 100)
  await run.says(/from outside \(--outside\): its inspector stays open/)
  await app.ask(600)
  await run.says(/event loop busy for \d+ ms so far: at culprit/)
  await run.says(/event loop was busy for \d{3,} ms: at culprit/)
  app.child.kill('SIGKILL')
  await run.says(/process \d+ has ended/)
  assert.equal((await run.closed).code, 0)
})

test('a process that has an agent is followed, and keeps it; its token is asked for', async (t) => {
  const app = startNode(t, ['--inspect-port=0', '-e', `require(${JSON.stringify(path.join(__dirname, '..'))}).start({ port: 0, log: false, token: 'secret' }).ready.then(({ url }) => console.log(url)); setInterval(() => {}, 1000)
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300), 300)`])
  const url = await eventually(() => /http\S+/.exec(app.out.stdout)?.[0], 'its endpoint')
  const pid = /** @type {number} */ (app.child.pid)
  const { startedAt } = await eventually(async () => {
    const records = await (await fetch(`${url}/blocks`, { headers: { authorization: 'Bearer secret' } })).json()
    return records.find((/** @type {any} */ { durationMs, ongoing }) => durationMs > 250 && !ongoing)
  }, 'a block before anybody attaches')
  const { stdout, stderr, code } = await attach(t, pid, '--seconds', 1, '--token', 'secret').closed
  assert.match(stdout, new RegExp(`^(\\S+ )?${clockTime(startedAt, startedAt)} event loop was blocked for`, 'm'))
  assert.match(stderr, new RegExp(`has an agent of its own, at ${url}`))
  assert.equal(code, 0)
  assert.match(await attach(t, pid).error(), /its agent at http\S+ asks for its token: --token \(LOOPWATCH_ERR_ATTACH\)/)
  assert.match(await attach(t, pid, '--token', 'wrong').error(), /does not take this --token/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

test('blocks are told as they come, each once when it is over, and it is said when some are missing', (t) => {
  const said = t.mock.method(process.stderr, 'write', () => true)
  const printed = t.mock.method(process.stdout, 'write', () => true)
  const [first, second, third] = ['1-1', '1-2', '1-3'].map((id) => makeRecord({ id, durationMs: 60 }))
  const lines = () => {
    const texts = printed.mock.calls.map(({ arguments: [text] }) => String(text))
    printed.mock.resetCalls()
    return texts.filter((text) => !text.startsWith('    at')).length
  }
  let told = tellAll([{ ...second, ongoing: true }, first], new Map())
  const counts = [lines()]
  told = tellAll([{ ...second, ongoing: true }, first], told)
  counts.push(lines())
  told = tellAll([second, first], told)
  counts.push(lines())
  const saidBefore = said.mock.callCount()
  tellAll([third], told)
  const texts = said.mock.calls.map(({ arguments: [text] }) => String(text))
  t.mock.restoreAll()
  assert.deepEqual([counts, saidBefore, texts], [[2, 0, 1], 0, ['more blocks have come than the agent keeps: some are not shown\n']])
})

test('blocks carry their own time, and of those from before the five latest are told', (t) => {
  assert.equal(clockTime('2026-11-21T10:00:00.123Z', '2026-11-21T23:59:59.999Z'), '10:00:00.123')
  assert.equal(clockTime('2026-11-20T10:00:00.123Z', '2026-11-21T00:00:00.000Z'), '2026-11-20 10:00:00.123')
  const said = t.mock.method(process.stderr, 'write', () => true)
  const printed = t.mock.method(process.stdout, 'write', () => true)
  const newestFirst = [8, 7, 6, 5, 4, 3, 2, 1].map((second) => makeRecord({ id: `1-${second}`, startedAt: `2020-01-01T10:00:0${second}.000Z`, stacks: [] }))
  const told = tellAll(newestFirst, new Map(), Date.parse('2020-01-01T10:00:08.100Z'))
  tellAll(newestFirst, told)
  const lines = printed.mock.calls.map(({ arguments: [text] }) => String(text).slice(0, 23))
  const texts = said.mock.calls.map(({ arguments: [text] }) => String(text))
  t.mock.restoreAll()
  // The last one was not over by then.
  assert.deepEqual(lines, [3, 4, 5, 6, 7, 8].map((second) => `2020-01-01 10:00:0${second}.000`))
  assert.deepEqual(texts, ['2 earlier blocks are not shown\n'])
})

test('an agent on a port that fetch() refuses is not waited for', { timeout: 10000 }, async () => {
  const signals = /** @type {any} */ ({ isOver: false, sleep: wait })
  await assert.rejects(follow('http://127.0.0.1:10080', undefined, process.pid, signals), { code: 'LOOPWATCH_ERR_ATTACH', message: /:10080: fetch\(\) refuses port 10080/ })
})

test('what cannot be attached to is left alone, and why is said', async (t) => {
  assert.match(await attach(t, 'abc').error(), /attach takes a process id, got "abc" \(LOOPWATCH_ERR_OPTION\)/)
  const gone = startNode(t, ['-e', '0'])
  await gone.closed
  assert.match(await attach(t, /** @type {number} */ (gone.child.pid)).error(), /there is no such process \(LOOPWATCH_ERR_ATTACH\)/)
  const sleeper = spawn('sleep', ['60'])
  t.after(() => sleeper.kill())
  await once(sleeper, 'spawn')
  assert.match(await attach(t, /** @type {number} */ (sleeper.pid)).error(), /it runs (sleep|coreutils), not Node\.js/)
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null)
  const handles = await startTarget(t, { mode: 'handles' })
  await assert.rejects(connect(checkProcess(handles.pid), () => {}, 500), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /handles SIGUSR1 itself \(start it with 'loopwatch run'\)/ })
  assert.match(handles.out.stdout, /my own SIGUSR1/)
  assert.equal(await handles.ask(1), '2000')
  // Its id goes to another process after it was checked.
  await assert.rejects(connect({ ...checkProcess(handles.pid), pid: /** @type {number} */ (sleeper.pid) }, () => {}), { code: 'LOOPWATCH_ERR_ATTACH' })
  await assert.rejects(connect({ ...checkProcess(handles.pid), started: '1' }, () => {}), { code: 'LOOPWATCH_ERR_ATTACH', message: /another process has its id/ })
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null)
})

test('a process of another user, and one in a container, are refused by name of the reason', async (t) => {
  const app = await startTarget(t)
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const stranger = spawn(process.execPath, ['-e', `process.setgid(65534); process.setuid(65534)
      try { require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'tools', 'attach', 'target-process'))}).checkProcess(${app.pid}) } catch (error) { console.log(error.code, error.message) }`])
    assert.match(await readAll(stranger.stdout), /^LOOPWATCH_ERR_ATTACH .*belongs to another user/)
  } else {
    assert.throws(() => checkProcess(1), { code: 'LOOPWATCH_ERR_ATTACH', message: /belongs to another user/ })
  }
  const under = (/** @type {string} */ what) => ['unshare', ...isRoot ? [] : ['--map-root-user'], what]
  const [command, ...args] = under('--net')
  // A kernel may keep namespaces to itself.
  if (spawnSync(command, [...args, 'true']).status !== 0) return t.skip('needs namespaces (unshare)')
  const contained = startNode(t, [...args, process.execPath, '-e', 'setInterval(() => {}, 1000); console.log(1)'], { node: command })
  await eventually(() => contained.out.stdout, 'the process in the container')
  assert.match(await attach(t, /** @type {number} */ (contained.child.pid)).error(), /in a container.*docker exec/)
  assert.equal(contained.child.exitCode ?? contained.child.signalCode, null)
  // Other files, the same network: nothing can be loaded into it.
  const elsewhere = await startTarget(t, { under: under('--mount') })
  const run = attach(t, elsewhere.pid, '--seconds', 1)
  await run.says(/from outside \(it sees other files than we do\)/)
  assert.equal((await run.closed).code, 0)
  assert.equal(elsewhere.ports()?.length, 1)
})

test('a process of the same user that the kernel guards is not said to be another user\'s', { skip: process.platform !== 'linux' && 'other kernels' }, async (t) => {
  const dir = makeDir(t)
  fs.chmodSync(dir, 0o755)
  // What a user may run and not read is guarded from that user, though not from root.
  const unreadable = path.join(dir, 'sleep')
  fs.copyFileSync(spawnSync('sh', ['-c', 'readlink -f "$(command -v sleep)"'], { encoding: 'utf8' }).stdout.trim(), unreadable)
  fs.chmodSync(unreadable, 0o111)
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const guarded = spawn(unreadable, ['60'], user)
  t.after(() => guarded.kill())
  await once(guarded, 'spawn')
  const sameUser = spawn(process.execPath, ['-e', `${user.uid === undefined ? '' : 'process.setgid(65534); process.setuid(65534)'}
    try { require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'tools', 'attach', 'target-process'))}).checkProcess(${guarded.pid}) } catch (error) { console.log(error.code, error.message) }`])
  assert.match(await readAll(sameUser.stdout), /^LOOPWATCH_ERR_ATTACH .*belongs to the same user, but the kernel does not allow looking into it/)
})

test('Ctrl-C while the inspector is opening waits for it, and has it closed again', async (t) => {
  const app = await startTarget(t)
  await app.enterNative(1500)
  const run = attach(t, app.pid, '--once')
  await run.says(/opening the inspector/)
  run.child.kill('SIGINT')
  const { code, stdout } = await run.closed
  assert.deepEqual([code, stdout, app.ports()?.length], [0, '', 1])
  assert.match(app.out.stderr, /Debugger listening/)
})

test('an inspector that does not close again, or opens to other machines, is told', async (t) => {
  const app = await startTarget(t)
  const inspector = await connect(checkProcess(app.pid), () => {})
  await app.enterNative(1500)
  await assert.rejects(inspector.end(200), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /still open at 127\.0\.0\.1:\d+/ })
  const renamed = await startTarget(t, { mode: 'renamed', flags: ['--inspect-port=0.0.0.0:0'] })
  await assert.rejects(connect({ ...checkProcess(renamed.pid), takesUsualPort: false }, () => {}), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /opened its inspector on 0\.0\.0\.0:\d+, .* it has closed it again/ })
  assert.equal(renamed.ports()?.length, 1)
})

test('connected to is the address that was asked, whatever its answer names, and nothing that is not the process', async (t) => {
  const server = http.createServer((request, response) => response.end(JSON.stringify([{ webSocketDebuggerUrl: 'ws://inspector.example:81/4711-ab' }]))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const silent = net.createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const stuck = { host: '127.0.0.1', port: /** @type {import('node:net').AddressInfo} */ (silent.address()).port, isLoopback: true }
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const place = { host, port, isLoopback: true }
    assert.deepEqual(await findInspector([stuck, place]), { place, address: `ws://127.0.0.1:${port}/4711-ab` })
  }
  assert.equal(impostor({ value: 12 }, 12, false), null)
  assert.match(String(impostor({ value: 13 }, 12, true)), /another process/)
  assert.match(String(impostor({ thrown: 'x' }, 12, true)), /another process/)
  assert.equal(impostor(null, 12, true), null, 'busy, and the kernel says whose port it is')
  assert.match(String(impostor(null, 12, false)), /does not tell/)
})

test('addresses in the kernel\'s tables are read in this machine\'s byte order', { skip: os.endianness() !== 'LE' }, () => {
  const read = (/** @type {string} */ text) => Object.values(parseAddress(text)).join()
  assert.equal(read('0100007F:240D'), '127.0.0.1,9229,true')
  assert.equal(read('00000000:0050'), '0.0.0.0,80,false')
  assert.equal(read('0A00000A:1F90'), '10.0.0.10,8080,false')
  assert.equal(read('00000000000000000000000001000000:240D'), '[::1],9229,true')
  assert.equal(read('00000000000000000000000000000000:240D'), '[::],9229,false')
  assert.equal(read('0000000000000000FFFF00000100007F:240D'), '127.0.0.1,9229,true')
  assert.equal(read('B80D0120000000000000000001000000:0001'), '[2001:db8::1],1,false')
})

test('where another process has port 9229, nothing is sent to the one asked for', async (t) => {
  const other = http.createServer((request, response) => response.end('[]')).listen(9229, '127.0.0.1')
  // Whatever has it already will do.
  await Promise.race([once(other, 'listening'), once(other, 'error')])
  t.after(() => other.close())
  const app = await startTarget(t, { flags: [] })
  assert.match(await attach(t, app.pid).error(), /port 9229 is taken by another process/)
  assert.equal(app.out.stderr, '')
})

test('the kernel\'s facts decide whether SIGUSR1 may be sent', () => {
  const facts = { exe: '/usr/bin/node', status: 'State:\tS (sleeping)\nSigCgt:\t0000000108004a02\n', flags: 'node app.js ', isSameNetwork: true, isSameFiles: true }
  assert.equal(objection(facts), null)
  assert.equal(objection({ ...facts, exe: '/opt/node24 (deleted)' }), null)
  assert.equal(objection({ ...facts, flags: 'node --inspect-port=127.0.0.1:0 app.js ' }), null)
  assert.match(String(objection({ ...facts, exe: '/usr/bin/bash' })), /it runs bash/)
  assert.match(String(objection({ ...facts, status: facts.status.replace('4a02', '4802') })), /does not take SIGUSR1/)
  assert.match(String(objection({ ...facts, status: facts.status.replace('S (', 'T (') })), /kill -CONT/)
  assert.match(String(objection({ ...facts, isSameNetwork: false })), /container.*docker exec/)
  assert.match(String(objection({ ...facts, flags: 'node app.js NODE_OPTIONS=--inspect-port=0.0.0.0:9229' })), /would open its inspector on 0\.0\.0\.0/)
})
