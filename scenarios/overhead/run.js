'use strict'

// The price of watching a bare HTTP server while nothing is wrong:
// node scenarios/overhead/run.js [--pairs 5] [--seconds 5] [--watch requests-off]
// Watched and unwatched servers run in turn, each in a fresh process on one core where taskset
// exists, and are compared pair by pair.
const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { driver, load } = require('./load')

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' }, watch: { type: 'string', default: 'requests-off' } }
})
const pairs = Number(values.pairs)
const seconds = Number(values.seconds)
const IDLE_S = 5

/** @param {number[]} numbers */
const spread = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] }
}

/** @param {string} watch */
async function measure (watch) {
  const server = fork(path.join(__dirname, 'server.js'), { env: { ...process.env, WATCH: watch }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  server.stderr?.on('data', (data) => { said += data })
  const [port] = await once(server, 'message')
  // The server and its agent on one core, the load on the other.
  if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', '0', `${server.pid}`])
  const ask = async () => {
    server.send('usage')
    return (await once(server, 'message'))[0]
  }
  await sleep(1000)
  const idleFrom = await ask()
  await sleep(IDLE_S * 1000)
  const idleTo = await ask()
  const url = `http://127.0.0.1:${port}/`
  await load(url, 1)
  const result = await load(url, seconds)
  const { rssMb } = await ask()
  server.kill()
  return {
    ...result,
    rssMb,
    idleRssMb: idleTo.rssMb,
    idleCpuPercent: (idleTo.cpuMs - idleFrom.cpuMs) / (IDLE_S * 10),
    startMs: Number(/started in ([\d.]+)/.exec(said)?.[1] ?? 0)
  }
}

async function main () {
  console.log(`Node ${process.version}, ${driver}, 50 connections, ${pairs} pairs of ${seconds} s, watched = ${values.watch}`)
  const rows = []
  for (let i = 0; i < pairs; i++) {
    // Which of the two goes first alternates, so that a drift of the machine favours neither.
    const order = i % 2 === 0 ? ['off', values.watch] : [values.watch, 'off']
    /** @type {Record<string, Awaited<ReturnType<typeof measure>>>} */
    const pair = {}
    for (const watch of order) pair[watch] = await measure(watch)
    rows.push({ bare: pair.off, watched: pair[values.watch] })
    console.log(`pair ${i + 1}: ${Math.round(pair.off.requestsPerSecond)} and ${Math.round(pair[values.watch].requestsPerSecond)} requests/s`)
  }
  /** @type {[string, (row: (typeof rows)[number]) => number, number][]} */
  const figures = [
    ['throughput, watched / bare', ({ bare, watched }) => watched.requestsPerSecond / bare.requestsPerSecond, 3],
    ['p99 latency, watched / bare', ({ bare, watched }) => watched.p99Ms / bare.p99Ms, 2],
    ['start() ms', ({ watched }) => watched.startMs, 1],
    ['idle CPU of the watched process, % of a core', ({ watched }) => watched.idleCpuPercent, 2],
    ['idle CPU of the bare process, % of a core', ({ bare }) => bare.idleCpuPercent, 2],
    ['RSS at rest, watched - bare, MB', ({ bare, watched }) => watched.idleRssMb - bare.idleRssMb, 1],
    ['RSS after the load, watched - bare, MB', ({ bare, watched }) => watched.rssMb - bare.rssMb, 1]
  ]
  for (const [name, figure, digits] of figures) {
    const { median, min, max } = spread(rows.map(figure))
    console.log(`${name.padEnd(46)} ${median.toFixed(digits).padStart(8)}   (${min.toFixed(digits)} to ${max.toFixed(digits)})`)
  }
}

main()
