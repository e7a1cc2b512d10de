'use strict'

// A piscina pool of 8 next to an HTTP server, watched or not: WATCH=off | threads-off | auto. Answers, over
// IPC, how many tasks it does in a while, and how much CPU time it has used.
const http = require('node:http')
const path = require('node:path')
const { Piscina } = require('piscina')

const watch = process.env.WATCH ?? 'off'
if (watch !== 'off') require('../../../lib').start({ port: 0, log: false, requests: 'off', threads: /** @type {'auto' | 'off'} */ (watch.replace('threads-', '')) })

const THREADS = 8
const pool = new Piscina({
  filename: path.join(__dirname, 'pool-task.js'),
  minThreads: THREADS,
  maxThreads: THREADS,
  idleTimeout: Infinity,
  atomics: /** @type {'sync' | 'disabled'} */ (process.env.ATOMICS ?? 'sync')
})

/** @param {number} seconds @param {number} taskMs */
async function work (seconds, taskMs) {
  const startMs = performance.now()
  let tasks = 0
  const client = async () => {
    while (performance.now() - startMs < seconds * 1000) {
      await pool.run(taskMs)
      tasks++
    }
  }
  await Promise.all(Array.from({ length: 2 * THREADS }, client))
  return tasks / (performance.now() - startMs) * 1000
}

http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1', /** @this {http.Server} */ function () {
  process.send?.(/** @type {import('node:net').AddressInfo} */ (this.address()).port)
})

process.on('message', async (/** @type {{ seconds?: number, taskMs?: number }} */ { seconds = 0, taskMs = 0 }) => {
  const tasksPerSecond = seconds > 0 ? await work(seconds, taskMs) : 0
  const { user, system } = process.cpuUsage()
  process.send?.({ tasksPerSecond, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1024 / 1024 })
})
