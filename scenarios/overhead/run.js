'use strict'

// The price of watching an HTTP server while nothing is wrong:
// node scenarios/overhead/run.js [--pairs 15] [--seconds 1] [--watch default | requests-off] [--server bare | express | fastify]
// A watched and an unwatched server live side by side on one core (where taskset exists); short
// bursts of load go to the one and the other in turn and are compared pair by pair, so that the
// machine's own ups and downs meet both.
const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { driver, load } = require('./load')
const { print } = require('./spread')

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '15' }, seconds: { type: 'string', default: '1' }, watch: { type: 'string', default: 'default' }, server: { type: 'string', default: 'bare' } }
})
const pairs = Number(values.pairs)
const seconds = Number(values.seconds)
const IDLE_S = 10
const WARM_UP_S = 2

class Server {
  /** @param {string} watch */
  constructor (watch) {
    this.process = fork(path.join(__dirname, 'server.js'), { env: { ...process.env, WATCH: watch, SERVER: values.server }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.said = ''
    this.process.stderr?.on('data', (data) => { this.said += data })
    this.url = ''
    /** @type {{ requestsPerSecond: number, p99Ms: number }[]} */
    this.bursts = []
  }

  async ready () {
    const [port] = await once(this.process, 'message')
    this.url = `http://127.0.0.1:${port}/`
    if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', '0', `${this.process.pid}`])
  }

  /** @returns {Promise<{ cpuMs: number, rssMb: number }>} */
  async usage () {
    this.process.send('usage')
    return (await once(this.process, 'message'))[0]
  }

  async idle () {
    const from = await this.usage()
    await sleep(IDLE_S * 1000)
    const to = await this.usage()
    return { cpuPercent: (to.cpuMs - from.cpuMs) / (IDLE_S * 10), rssMb: to.rssMb }
  }
}

async function main () {
  console.log(`Node ${process.version}, ${driver}, 50 connections, ${pairs} pairs of ${seconds} s, ${values.server} server, watched = ${values.watch}`)
  const bare = new Server('off')
  await bare.ready()
  const watched = new Server(values.watch)
  await watched.ready()
  await sleep(2000)
  const [bareIdle, watchedIdle] = [await bare.idle(), await watched.idle()]
  for (const { url } of [bare, watched]) await load(url, WARM_UP_S)
  for (let i = 0; i < pairs; i++) {
    for (const server of i % 2 === 0 ? [bare, watched] : [watched, bare]) server.bursts.push(await load(server.url, seconds))
  }
  const ratios = (/** @type {'requestsPerSecond' | 'p99Ms'} */ key) => watched.bursts.map((burst, i) => burst[key] / bare.bursts[i][key])
  print('requests/s, bare', bare.bursts.map(({ requestsPerSecond }) => requestsPerSecond), 0)
  print('throughput, watched / bare', ratios('requestsPerSecond'), 3)
  print('p99 latency, watched / bare', ratios('p99Ms'), 2)
  print('start(), ms', [Number(/started in ([\d.]+)/.exec(watched.said)?.[1])], 1)
  print('idle CPU, watched, % of a core', [watchedIdle.cpuPercent], 2)
  print('idle CPU, bare, % of a core', [bareIdle.cpuPercent], 2)
  print('RSS at rest, watched - bare, MB', [watchedIdle.rssMb - bareIdle.rssMb], 1)
  print('RSS after the load, watched - bare, MB', [(await watched.usage()).rssMb - (await bare.usage()).rssMb], 1)
  for (const server of [bare, watched]) server.process.kill()
}

main()
