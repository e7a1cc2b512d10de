'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const { objection } = require('../lib/tools/attach/target-process')
const { listeningPorts } = require('../lib/tools/attach/listening-ports')
const { startNode, eventually } = require('./support/app')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')

/** The application, started without loopwatch. @param {import('node:test').TestContext} t @param {{ mode?: string, flags?: string[], node?: string }} [setup] */
async function startTarget (t, { mode = '', flags = ['--inspect-port=0'], node } = {}) {
  const app = startNode(t, [...flags, 'profiled.js'], { env: { TEST_MODE: mode }, node })
  const { port } = /** @type {{ port: number }} */ (await eventually(() => /^\{.*\}$/m.exec(app.out.stdout) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{.*\}$/m.exec(app.out.stdout))[0]), () => app.out.stderr))
  const pid = /** @type {number} */ (app.child.pid)
  return { ...app, pid, ports: () => listeningPorts(pid), ask: (/** @type {number} */ ms) => fetch(`http://127.0.0.1:${port}/?ms=${ms}`).then((response) => response.text()), port }
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
  const app = await startTarget(t)
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ by an agent in it, its inspector is closed again/)
  assert.match(run.out.stderr, /opening the inspector of process/)
  // In it listen its own server and the agent: no inspector, but an agent that asks for its token.
  await eventually(() => app.ports()?.length === 2, () => `ports ${app.ports()}`)
  const [agentPort] = /** @type {number[]} */ (app.ports()).filter((port) => port !== app.port)
  assert.equal((await fetch(`http://127.0.0.1:${agentPort}/blocks`)).status, 401)
  await app.ask(400)
  await run.says(/event loop was blocked for 4\d\d ms: culprit \(profiled\.js:\d+\)/)
  assert.match(run.out.stdout, /^ {4}at culprit \(.*profiled\.js:\d+:\d+\)$/m)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  assert.match(stderr, /left process \d+: the agent in it is stopped, its inspector closed/)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(await app.ask(1), '2000')
})

test('a process that is stuck in an endless loop: its stack by --once, and the block while it lasts', async (t) => {
  const app = await startTarget(t, { mode: 'stuck' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const once = await attach(t, app.pid, '--once').closed
  assert.match(once.stdout, /^process \d+ is\n {4}at (culprit|Timeout\.forever) .*profiled\.js[^]*Timeout\.forever/)
  assert.deepEqual([once.code, app.ports()?.length], [0, 1])

  const run = attach(t, app.pid, '--seconds', 3)
  await run.says(/event loop blocked for .* so far: (culprit|forever) \(profiled\.js/)
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(app.child.exitCode, null)
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

test('a process that has an agent is followed, and keeps it', async (t) => {
  const app = startNode(t, ['--inspect-port=0', '-e', `require(${JSON.stringify(path.join(__dirname, '..'))}).start({ port: 0, log: false }).ready.then(({ url }) => console.log(url)); setInterval(() => {}, 1000)`])
  const url = await eventually(() => /http\S+/.exec(app.out.stdout)?.[0], 'its endpoint')
  const { stderr, code } = await attach(t, /** @type {number} */ (app.child.pid), '--seconds', 1).closed
  assert.match(stderr, new RegExp(`has an agent of its own, at ${url}`))
  assert.equal(code, 0)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
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
  assert.match(await attach(t, handles.pid, '--once').error(), /handles SIGUSR1 itself; start it with 'loopwatch run' \(LOOPWATCH_ERR_INSPECTOR\)/)
  assert.equal(await handles.ask(1), '2000')
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
