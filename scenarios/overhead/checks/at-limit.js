'use strict'

// A small server at its limit, with all threads of its process on one CPU and wrk on the other:
//   node scenarios/overhead/checks/at-limit.js [rounds] [seconds]          default 5 5
// Fresh processes in turn: without the agent, with it, without its profile, and without requests either. Each keeps an
// object of nextTick() alive, as the agent does: a server that does not is in some runs a quarter slower
// (figures.md#nexttick), and would be compared with something else. Prints throughput and p99 as ratios to the server
// without the agent, and how often threads are woken: each sleep ends with one. Needs Linux, wrk and taskset.
const { executionAsyncResource } = require('node:async_hooks')
const { fork, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')
const { SERVER_CORE, LOAD_CORE, readWrk } = require('../server/load')

const CONNECTIONS = 50
const SETTLE_MS = 1500
/** Of wrk, to measure while it runs. */
const EDGE_MS = 500
const WARM_UP_S = 3
const MS_PER_S = 1000
const US_PER_MS = 1000

/** Options of the agent, null for none. @type {Record<string, object | null>} */
const kinds = {
  bare: null,
  agent: {},
  'profile: off': { profile: 'off' },
  'requests: off': { profile: 'off', requests: 'off' }
}

/** @type {object[]} */
const ticks = []

/** @param {object | null} options */
function serve (options) {
  process.nextTick(() => ticks.push(executionAsyncResource()))
  if (options !== null) require('../../../lib').start({ port: 0, log: false, ...options })
  const server = http.createServer(async (_, response) => {
    await null
    await null
    response.end('ok')
  }).listen(0, '127.0.0.1', () => {
    process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
  })
}

/** Sleeps so far of each thread, by name. @param {number | undefined} pid */
function sleepsOf (pid) {
  /** @type {Record<string, number>} */
  const sleeps = {}
  for (const tid of fs.readdirSync(`/proc/${pid}/task`)) {
    const status = fs.readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8')
    const name = tid === `${pid}` ? 'main' : String(/^Name:\s+(.*)/.exec(status)?.[1]).replace('node-', '')
    sleeps[name] = (sleeps[name] ?? 0) + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1])
  }
  return sleeps
}

/** CPU time of the main thread so far, ms. @param {number | undefined} pid */
const mainCpuMs = (pid) => Number(fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** @param {number | undefined} pid */
function pin (pid) {
  for (const tid of fs.readdirSync(`/proc/${pid}/task`)) spawnSync('taskset', ['-pc', `${SERVER_CORE}`, tid])
}

/** @param {number} port @param {number} seconds */
function load (port, seconds) {
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', `http://127.0.0.1:${port}/`]
  const wrk = spawn('taskset', ['-c', `${LOAD_CORE}`, 'wrk', ...args])
  let text = ''
  wrk.stdout.setEncoding('utf8').on('data', (data) => { text += data })
  return { pid: wrk.pid, closed: once(wrk, 'close').then(() => readWrk(text)) }
}

/** @param {string} kind @param {number} seconds */
async function measure (kind, seconds) {
  const app = fork(__filename, ['serve', kind])
  const [port] = await once(app, 'message')
  pin(app.pid)
  await sleep(SETTLE_MS)
  await load(port, WARM_UP_S).closed
  // Threads that have begun meanwhile.
  pin(app.pid)
  const wrk = load(port, seconds)
  await sleep(EDGE_MS)
  const from = { sleeps: sleepsOf(app.pid), wrk: sleepsOf(wrk.pid), cpuMs: mainCpuMs(app.pid) }
  const forMs = seconds * MS_PER_S - 2 * EDGE_MS
  await sleep(forMs)
  const to = { sleeps: sleepsOf(app.pid), wrk: sleepsOf(wrk.pid), cpuMs: mainCpuMs(app.pid) }
  const { requestsPerSecond, p99Ms } = await wrk.closed
  app.kill()
  /** @type {Record<string, number>} */
  const sleeps = {}
  const inS = forMs / MS_PER_S
  for (const name of Object.keys(to.sleeps)) sleeps[name] = (to.sleeps[name] - (from.sleeps[name] ?? 0)) / inS
  sleeps.wrk = Object.keys(to.wrk).reduce((sum, name) => sum + to.wrk[name] - (from.wrk[name] ?? 0), 0) / inS
  return { requestsPerSecond, p99Ms, sleeps, mainUs: (to.cpuMs - from.cpuMs) * US_PER_MS / inS / requestsPerSecond }
}

/** @param {number[]} values @param {number} digits */
function spread (values, digits) {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, middle, high] = [sorted[0], median(sorted), sorted[sorted.length - 1]].map((each) => each.toFixed(digits))
  return `${middle} (${low} to ${high})`
}

/** @param {number} rounds @param {number} seconds */
async function main (rounds, seconds) {
  /** @type {Record<string, Awaited<ReturnType<typeof measure>>[]>} */
  const runs = {}
  for (let round = 0; round < rounds; round++) {
    const names = Object.keys(kinds)
    // Which one is first alternates.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const run = await measure(name, seconds)
      runs[name] = [...runs[name] ?? [], run]
    }
  }
  for (const [name, each] of Object.entries(runs)) {
    const ratio = (/** @type {'requestsPerSecond' | 'p99Ms'} */ key) =>
      `x${spread(each.map((run, i) => run[key] / runs.bare[i][key]), 2)}`
    const [rate, p99] = name === 'bare'
      ? [spread(each.map((run) => run.requestsPerSecond), 0), spread(each.map((run) => run.p99Ms), 1)]
      : [ratio('requestsPerSecond'), ratio('p99Ms')]
    const cpu = spread(each.map(({ mainUs }) => mainUs), 1)
    const woken = Object.keys(each[0].sleeps)
      .map((thread) => `${thread} ${median(each.map(({ sleeps }) => sleeps[thread] ?? 0)).toFixed(0)}`)
    console.log(`${name}: requests/s ${rate}, p99 ${p99}, main thread ${cpu} us per request; ` +
      `woken per second: ${woken.join(', ')}`)
  }
}

if (process.argv[2] === 'serve') serve(kinds[process.argv[3]])
else main(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 5))
