'use strict'

// The cost of the option `waits` for a service that makes a thousand calls per second, to Redis and by fetch, and for
// 100,000 calls that never end:
//   node scenarios/overhead/checks/waits.js [rounds] [seconds] [kinds]       default 9 rounds of 20 s, of each kind
// Whole processes alternate, with the option and with 'off', in a random order, on a CPU of their own (taskset). Each
// serves a thousand requests per second and makes one call for each. Load and peers are other processes. Needs
// redis-server and the packages of test/. Clients of Redis are followed with 'all' only: once anybody subscribes, they
// do more for each command.
const { fork, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')

const MB = 1024 * 1024
const PER_SECOND = 1000
const TICK_MS = 10
const WARM_MS = 5000
const NEVER = 100_000
/** Connections of the calls that never end: the others wait for one. */
const SOCKETS = 10
/** The mode that is compared with 'off', by what makes the calls. @type {Record<string, string>} */
const MODES = { fetch: 'on', 'node-redis': 'all', ioredis: 'all' }
const TESTS = path.join(__dirname, '..', '..', '..', 'test')

/** @param {net.Server | http.Server} server @returns {Promise<number>} */
const portOf = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () =>
  resolve(/** @type {net.AddressInfo} */ (server.address()).port)))

/** A function that calls the peer. @param {string} kind @param {number} port */
async function callerOf (kind, port) {
  const load = (/** @type {string} */ name) => require(require.resolve(name, { paths: [TESTS] }))
  if (kind === 'fetch') return async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
  if (kind === 'ioredis') {
    const redis = new (load('ioredis'))({ port, host: '127.0.0.1', enableReadyCheck: false })
    return () => redis.get('key')
  }
  const client = load('@redis/client').createClient({ socket: { port, host: '127.0.0.1' } })
  await client.connect()
  return () => client.get('key')
}

/** The service that is measured. @param {string} waits @param {string} kind @param {string} peer its port */
async function serve (waits, kind, peer) {
  const agent = require('../../../lib').start({ port: false, log: false, waits: /** @type {any} */ (waits) })
  const call = await callerOf(kind, Number(peer))
  const server = http.createServer(async (_, response) => {
    await call()
    response.end('ok')
  })
  const port = await portOf(server)
  await agent.ready
  let cpu = process.cpuUsage()
  process.on('message', async (message) => {
    if (message === 'begin') cpu = process.cpuUsage()
    if (message === 'never') {
      const calling = new http.Agent({ maxSockets: SOCKETS })
      for (let i = 0; i < NEVER; i++) http.get({ port: peer, path: '/never', agent: calling }).on('error', () => {})
    }
    globalThis.gc?.()
    const { user, system } = process.cpuUsage(cpu)
    const { heapUsed, rss } = process.memoryUsage()
    process.send?.({ cpuMs: (user + system) / 1000, heapMb: heapUsed / MB, rssMb: rss / MB })
  })
  process.send?.({ port })
}

/** A thousand requests per second. @param {number} port */
function load (port) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 100 })
  let answered = 0
  setInterval(() => {
    for (let i = 0; i < PER_SECOND / (1000 / TICK_MS); i++) {
      http.get({ port, host: '127.0.0.1', agent }, (response) => {
        answered++
        response.resume()
      }).on('error', () => {})
    }
  }, TICK_MS)
  process.on('message', () => process.send?.({ answered }))
}

/** @param {import('node:child_process').ChildProcess} child @param {string} message @returns {Promise<any>} */
async function ask (child, message) {
  child.send(message)
  return (await once(child, 'message'))[0]
}

/** On a CPU of its own, the service is not moved between caches. @param {string[]} args */
function start (args) {
  const child = fork(__filename, args, { execArgv: ['--expose-gc'] })
  spawnSync('taskset', ['-acp', args[0] === 'serve' ? '0' : '1', `${child.pid}`])
  return child
}

/** @param {string} waits @param {string} kind @param {number} peer @param {number} seconds */
async function measure (waits, kind, peer, seconds) {
  const service = start(['serve', waits, kind, `${peer}`])
  const [{ port }] = await once(service, 'message')
  const client = start(['load', `${port}`])
  await sleep(WARM_MS)
  const { answered: before } = await ask(client, 'count')
  await ask(service, 'begin')
  await sleep(seconds * 1000)
  const { cpuMs } = await ask(service, 'end')
  const { answered } = await ask(client, 'count')
  client.kill('SIGKILL')
  service.kill('SIGKILL')
  return { cpuPercent: cpuMs / seconds / 10, perSecond: (answered - before) / seconds }
}

/** @param {string} kind @param {number} peer @param {number} rounds @param {number} seconds */
async function compare (kind, peer, rounds, seconds) {
  const mode = MODES[kind]
  /** @type {Record<string, number[]>} */
  const cpu = { [mode]: [], off: [] }
  const rates = []
  for (let round = 0; round < rounds; round++) {
    for (const waits of Math.random() < 0.5 ? [mode, 'off'] : ['off', mode]) {
      const { cpuPercent, perSecond } = await measure(waits, kind, peer, seconds)
      cpu[waits].push(cpuPercent)
      rates.push(perSecond)
    }
  }
  const shown = ['off', mode].map((waits) =>
    `${waits} ${median(cpu[waits]).toFixed(1)}% (${Math.min(...cpu[waits]).toFixed(1)} to ${Math.max(...cpu[waits]).toFixed(1)})`)
  const ratios = cpu[mode].map((percent, i) => percent / cpu.off[i])
  console.log(`${kind}: CPU ${shown.join(', ')}; ratio of medians ${(median(cpu[mode]) / median(cpu.off)).toFixed(3)}, ` +
    `of rounds ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}; ${Math.round(Math.min(...rates))} calls per second or more`)
}

/** Memory of calls that are never answered. @param {string} waits @param {number} peer */
async function neverEnding (waits, peer) {
  const service = start(['serve', waits, 'fetch', `${peer}`])
  await once(service, 'message')
  await sleep(2000)
  const before = await ask(service, 'begin')
  await ask(service, 'never')
  await sleep(5000)
  const after = await ask(service, 'end')
  service.kill('SIGKILL')
  console.log(`${NEVER} calls that never end, waits ${waits}: heap +${(after.heapMb - before.heapMb).toFixed(1)} MB, ` +
    `resident +${(after.rssMb - before.rssMb).toFixed(1)} MB`)
}

/** A Redis that answers. */
async function startRedis () {
  const probe = net.createServer()
  const port = await portOf(probe)
  await new Promise((resolve) => probe.close(resolve))
  const child = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
  await sleep(1000)
  return { port, child }
}

/** @param {number} rounds @param {number} seconds @param {string[]} kinds */
async function main (rounds, seconds, kinds) {
  console.log(`Node ${process.versions.node}, ${rounds} rounds of ${seconds} s`)
  const redis = await startRedis()
  const peer = start(['peer'])
  const [{ port }] = await once(peer, 'message')
  for (const kind of kinds) await compare(kind, kind === 'fetch' ? port : redis.port, rounds, seconds)
  for (const waits of ['off', 'on']) await neverEnding(waits, port)
  redis.child.kill('SIGKILL')
  peer.kill('SIGKILL')
  process.exit()
}

const [, , role, ...rest] = process.argv
if (role === 'serve') serve(rest[0], rest[1], rest[2])
else if (role === 'load') load(Number(rest[0]))
else if (role === 'peer') portOf(http.createServer(({ url }, response) => { if (url !== '/never') response.end('ok') })).then((port) => process.send?.({ port }))
else main(Number(role ?? 9), Number(rest[0] ?? 20), rest[1]?.split(',') ?? Object.keys(MODES))
