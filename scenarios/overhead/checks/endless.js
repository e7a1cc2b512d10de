'use strict'

// How fast the endpoint answers while the host is stuck for good, and what Prometheus would see:
// node scenarios/overhead/checks/endless.js [requests]
const { fork } = require('node:child_process')
const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')

const requests = Number(process.argv[2] ?? 500)

async function stuck () {
  const agent = require('../../../lib').start({ port: 0, log: false })
  const { url } = await agent.ready
  process.send?.(url)
  setTimeout(() => { for (;;); }, 100)
}

async function main () {
  const app = fork(__filename, ['stuck'])
  const [url] = await once(app, 'message')
  await sleep(1000)
  for (const path of ['/healthz', '/metrics', '/blocks']) {
    /** @type {number[]} */
    const times = []
    let status = 0
    for (let i = 0; i < requests; i++) {
      const startMs = performance.now()
      const response = await fetch(url + path)
      await response.text()
      times.push(performance.now() - startMs)
      status = response.status
      await sleep(5)
    }
    times.sort((a, b) => a - b)
    const at = (/** @type {number} */ share) => times[Math.floor(share * (times.length - 1))].toFixed(1)
    console.log(`${path.padEnd(9)} ${status}  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms over ${requests} requests`)
  }
  app.kill('SIGKILL')
}

if (process.argv[2] === 'stuck') stuck()
else main()
