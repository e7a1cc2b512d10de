'use strict'

// Memory of a long run, with the agent and without, side by side, as memory depends on the time that passed:
//   node scenarios/overhead/checks/long-run.js [minutes]                   default 38
// A server answers 20 requests per second, one in 20 blocks the loop for 60 to 300 ms, and a worker thread begins every
// two seconds and ends. Ten times, and last of all, both collect their garbage and print what they hold.
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { getHeapSpaceStatistics } = require('node:v8')
const { Worker } = require('node:worker_threads')

const REQUEST_MS = 50
const BLOCK_EVERY = 20
const WORKER_MS = 2000
const PRINTS = 10
const MB = 1024 * 1024
const MINUTE_MS = 60_000

/** @param {number} ms */
function hold (ms) {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;);
}

/** @param {http.IncomingMessage} request */
function answer ({ url }, /** @type {http.ServerResponse} */ response) {
  const i = Number(url?.slice(1))
  if (i % BLOCK_EVERY === 0) hold(60 + (i * 7) % 240)
  response.end(JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n, text: `item ${n} of ${i}` }))))
}

/** @param {string | undefined} dir of the agent, if the process has one */
async function serve (dir) {
  if (dir) require('../../../lib').start({ port: 0, log: { destination: path.join(dir, 'log') }, dir })
  const server = http.createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  let asked = 0
  setInterval(() => http.get({ port, path: `/${asked++}` }, (response) => response.resume()), REQUEST_MS)
  const code = 'require("node:worker_threads").parentPort.postMessage(JSON.stringify(new Array(1e5).fill(7)))'
  setInterval(() => new Worker(code, { eval: true }).on('error', () => {}), WORKER_MS)
  process.on('message', () => {
    const { rss, arrayBuffers } = process.memoryUsage()
    global.gc?.()
    const after = process.memoryUsage()
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? NaN
    process.send?.({ rss, collected: after.rss, heap: after.heapUsed, external: after.external, arrayBuffers, young })
  })
  process.send?.('ready')
}

/** @param {number} minutes */
async function main (minutes) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-long-run-'))
  const run = (/** @type {string} */ agentDir) => fork(__filename, ['serve', agentDir], { execArgv: ['--expose-gc'] })
  const apps = { bare: run(''), watched: run(dir) }
  await Promise.all(Object.values(apps).map((app) => once(app, 'message')))
  for (let i = 1; i <= PRINTS; i++) {
    await new Promise((resolve) => setTimeout(resolve, minutes * MINUTE_MS / PRINTS))
    for (const [name, app] of Object.entries(apps)) {
      app.send('report')
      const [held] = await once(app, 'message')
      const texts = Object.entries(held).map(([what, bytes]) => `${what} ${(Number(bytes) / MB).toFixed(0)}`)
      console.log(`${(minutes * i / PRINTS).toFixed(1)} min, ${name.padEnd(7)} MB: ${texts.join(', ')}`)
    }
  }
  for (const app of Object.values(apps)) app.kill()
  fs.rmSync(dir, { recursive: true })
}

if (process.argv[2] === 'serve') serve(process.argv[3])
else main(Number(process.argv[2] ?? 38))
