'use strict'

// How fast the primary of a cluster answers a scrape while all is calm, while one worker is blocked
// for ten seconds, and while the primary itself is:
// node scenarios/overhead/checks/cluster-scrape.js [workers] [seconds]
const { fork } = require('node:child_process')
const cluster = /** @type {import('node:cluster').Cluster} */ (/** @type {any} */ (require('node:cluster')))
const { once } = require('node:events')
const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')

const workers = Number(process.argv[2] ?? 4)
const seconds = Number(process.argv[3] ?? 10)

/** Holds this process's event loop for the time of a measurement. */
function hold () {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end);
}

async function member () {
  const agent = require('../../../lib').start({ port: 0, log: false })
  if (cluster.isWorker) {
    process.on('message', hold)
    http.createServer((_, response) => response.end()).listen(0)
    await agent.ready
    process.send?.('joined')
    return
  }
  await Promise.all(Array.from({ length: workers }, () => once(cluster.fork(), 'message')))
  process.on('message', (/** @type {string} */ who) => {
    if (who === 'primary') hold()
    else Object.values(cluster.workers ?? {})[0]?.send(who)
  })
  process.send?.((await agent.ready).url)
}

/** @param {string} url @param {string} what */
async function measure (url, what) {
  /** @type {number[]} */
  const times = []
  let failures = 0
  let bytes = 0
  let blockedS = 0
  const end = performance.now() + seconds * 1000 - 500
  while (performance.now() < end) {
    const startMs = performance.now()
    const response = await fetch(`${url}/metrics`)
    const text = await response.text()
    times.push(performance.now() - startMs)
    if (!response.ok) failures++
    bytes = text.length
    blockedS = Math.max(blockedS, ...[...text.matchAll(/^loopwatch_block_in_progress_seconds\{.*\} (\S+)$/gm)].map(([, value]) => Number(value)))
    await sleep(25)
  }
  times.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => times[Math.floor(share * (times.length - 1))].toFixed(1)
  const over = times.filter((ms) => ms > 50).length
  console.log(`${what.padEnd(22)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms, ${over} over 50 ms, ${failures} failed, of ${times.length}; ${bytes} bytes; longest block seen ${blockedS.toFixed(1)} s`)
}

async function main () {
  const primary = fork(__filename, [`${workers}`, `${seconds}`, 'primary'])
  const [url] = await once(primary, 'message')
  await sleep(2000)
  for (let i = 0; i < 20; i++) await (await fetch(`${url}/metrics`)).text()
  console.log(`Node ${process.versions.node}, ${workers} workers`)
  await measure(url, 'calm')
  for (const who of ['worker', 'primary']) {
    primary.send(who)
    await sleep(100)
    await measure(url, `${who === 'worker' ? 'one worker' : 'the primary'} blocked`)
    await sleep(1000)
  }
  primary.kill('SIGKILL')
}

if (cluster.isWorker || process.argv[4] === 'primary') member()
else main()
