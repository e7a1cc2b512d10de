'use strict'

// The cost of watching requests, without two processes that differ anyway:
// node scenarios/overhead/server/requests.js [--seconds 30] [--server bare | express | fastify] [--part agent | ...]
// In one watched server the agent hears of requests in every other slice of a quarter of a second
// (on, off, off, on), with 50 connections of wrk; slices are compared four by four. All threads of
// the process share core 0, so the watchdog's work on requests is in it. Another part than `agent` (request-parts.js)
// is switched on and off without an agent: what each thing costs that one could do per request.
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const { parseArgs } = require('node:util')
const { parts } = require('./request-parts')
const { print } = require('../report/spread')

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    server: { type: 'string', default: 'bare' },
    part: { type: 'string', default: 'agent' }
  }
})
if (!Object.hasOwn(parts, values.part)) throw new Error(`--part takes one of ${Object.keys(parts).join(', ')}, got '${values.part}'`)
const SLICE_MS = 250
const WARM_UP_SLICES = 8
const IS_ON = [true, false, false, true]

let answered = 0
/** @type {Record<string, () => Promise<import('node:http').Server> | import('node:http').Server>} */
const servers = {
  bare: () => http.createServer((_, response) => {
    answered++
    response.end('ok')
  }),
  express: () => http.createServer(require('express')().get('/', (/** @type {any} */ _, /** @type {any} */ response) => {
    answered++
    response.send('ok')
  })),
  fastify: async () => {
    const app = require('fastify')()
    app.get('/', (/** @type {any} */ _, /** @type {any} */ reply) => {
      answered++
      reply.send('ok')
    })
    await app.ready()
    return app.server
  }
}

/** @typedef {{ isOn: boolean, requestsPerMs: number, cpuUs: number }} Slice */

/**
 * @param {import('./request-parts').Part} part which is on
 * @param {import('node:http').Server} server
 * @returns {() => Slice}
 */
function startSlices (part, server) {
  let isOn = true
  let count = 0
  let from = { ms: performance.now(), cpu: process.cpuUsage(), answered }
  return () => {
    const { user, system } = process.cpuUsage(from.cpu)
    const requests = answered - from.answered
    const slice = { isOn, requestsPerMs: requests / (performance.now() - from.ms), cpuUs: (user + system) / requests }
    const next = IS_ON[++count % IS_ON.length]
    if (next !== isOn) part[next ? 'on' : 'off'](server)
    isOn = next
    from = { ms: performance.now(), cpu: process.cpuUsage(), answered }
    return slice
  }
}

async function main () {
  const part = parts[values.part]()
  const server = (await servers[values.server]()).listen(0, '127.0.0.1')
  part.on(server)
  await once(server, 'listening')
  if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', '0', `${process.pid}`])
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(`Node ${process.version}, wrk, 50 connections, ${values.server} server, ${values.part}, ${values.seconds} s`)
  const wrk = spawn('wrk', ['-t1', '-c50', `-d${values.seconds}s`, `http://127.0.0.1:${port}/`], { stdio: 'ignore' })
  const nextSlice = startSlices(part, server)
  /** @type {Slice[]} */
  const slices = []
  const timer = setInterval(() => slices.push(nextSlice()), SLICE_MS)
  await once(wrk, 'exit')
  clearInterval(timer)
  const kept = slices.slice(WARM_UP_SLICES, -1)
  /** @param {'requestsPerMs' | 'cpuUs'} key @param {(watched: number, not: number) => number} compare means */
  const byFour = (key, compare) => Array.from({ length: Math.floor(kept.length / IS_ON.length) }, (_, i) => {
    const four = kept.slice(i * IS_ON.length, (i + 1) * IS_ON.length)
    const mean = (/** @type {boolean} */ on) =>
      four.filter(({ isOn }) => isOn === on).reduce((total, slice) => total + slice[key], 0) / (IS_ON.length / 2)
    return compare(mean(true), mean(false))
  })
  print('throughput, requests watched / not', byFour('requestsPerMs', (watched, not) => watched / not), 3)
  print('CPU a request, watched / not', byFour('cpuUs', (watched, not) => watched / not), 3)
  print('CPU a request, watched - not, us', byFour('cpuUs', (watched, not) => watched - not), 2)
  print('CPU a request, not watched, us', byFour('cpuUs', (_, not) => not), 2)
  process.exit()
}

main()
