'use strict'

// The price of watching an HTTP server while nothing is wrong:
// node scenarios/overhead/run.js [--pairs 5] [--bursts 5] [--seconds 1] [--watch default | requests-off] [--server bare | express | fastify]
// A watched and an unwatched server live side by side on one core (where taskset exists); short
// bursts of load go to the one and the other in turn and are compared burst by burst, so that the
// machine's own ups and downs meet both. The median of each pair of processes counts.
const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { driver, load } = require('./load')
const { print, spread } = require('./spread')

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '5' }, bursts: { type: 'string', default: '5' }, seconds: { type: 'string', default: '1' }, watch: { type: 'string', default: 'default' }, server: { type: 'string', default: 'bare' } }
})
const pairs = Number(values.pairs)
const bursts = Number(values.bursts)
const seconds = Number(values.seconds)
const IDLE_S = 10
const SETTLE_S = 5
const WARM_UP_S = 2

class Server {
  /** @param {string} watch */
  constructor (watch) {
    this.process = fork(path.join(__dirname, 'server.js'), { env: { ...process.env, WATCH: watch, SERVER: values.server }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.said = ''
    this.process.stderr?.on('data', (data) => { this.said += data })
    this.url = ''
    /** @type {{ requestsPerSecond: number, p99Ms: number, cpuUs: number }[]} */
    this.bursts = []
  }

  async burst () {
    const from = await this.usage()
    const { requestsPerSecond, p99Ms } = await load(this.url, seconds)
    const to = await this.usage()
    this.bursts.push({ requestsPerSecond, p99Ms, cpuUs: (to.cpuMs - from.cpuMs) * 1000 / (requestsPerSecond * seconds) })
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

/** One pair of fresh processes: what a compiler made of one of them must not be taken for the price. */
async function pair () {
  const bare = new Server('off')
  await bare.ready()
  const watched = new Server(values.watch)
  await watched.ready()
  for (const { url } of [bare, watched]) await load(url, WARM_UP_S)
  for (let i = 0; i < bursts; i++) {
    for (const server of i % 2 === 0 ? [bare, watched] : [watched, bare]) await server.burst()
  }
  return { bare, watched }
}

/** @param {{ bare: Server, watched: Server }} servers */
async function rest ({ bare, watched }) {
  await sleep(SETTLE_S * 1000)
  const [bareIdle, watchedIdle] = [await bare.idle(), await watched.idle()]
  print('start(), ms', [Number(/started in ([\d.]+)/.exec(watched.said)?.[1])], 1)
  print('idle CPU, watched, % of a core', [watchedIdle.cpuPercent], 2)
  print('idle CPU, bare, % of a core', [bareIdle.cpuPercent], 2)
  print('RSS after the load, watched - bare, MB', [watchedIdle.rssMb - bareIdle.rssMb], 1)
}

async function main () {
  console.log(`Node ${process.version}, ${driver}, 50 connections, ${values.server} server, watched = ${values.watch}: ${pairs} pairs of processes, ${bursts} bursts of ${seconds} s on each`)
  const ratios = { requestsPerSecond: /** @type {number[]} */ ([]), p99Ms: /** @type {number[]} */ ([]), cpuUs: /** @type {number[]} */ ([]) }
  const rates = []
  for (let i = 0; i < pairs; i++) {
    const servers = await pair()
    const { bare, watched } = servers
    rates.push(...bare.bursts.map(({ requestsPerSecond }) => requestsPerSecond))
    for (const key of /** @type {const} */ (['requestsPerSecond', 'p99Ms', 'cpuUs'])) {
      ratios[key].push(spread(watched.bursts.map((burst, at) => burst[key] / bare.bursts[at][key])).median)
    }
    if (i === pairs - 1) {
      print('requests/s, bare', rates, 0)
      print('throughput, watched / bare', ratios.requestsPerSecond, 3)
      print('p99 latency, watched / bare', ratios.p99Ms, 2)
      // All threads of the process; it hardly depends on what else the machine is doing.
      print('CPU a request, watched / bare', ratios.cpuUs, 3)
      await rest(servers)
    }
    for (const server of [bare, watched]) server.process.kill()
  }
}

main()
