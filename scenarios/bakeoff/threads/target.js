'use strict'

// The process of one case: the agent, a worker thread or a pool of them, and what the agent says of their blocks.

const http = require('node:http')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const loopwatch = require('../../..')

const { host, task, blocks } = JSON.parse(String(process.env.BAKEOFF_THREADS))
const WORKER = path.join(__dirname, 'worker.js')
const POOL = path.join(__dirname, 'timed.js')

const CALM_MS = 400
/** Until the agent may take the next profile of a thread. */
const APART_MS = 6500
const SETTLE_MS = 1500

/** @typedef {(name: string) => Promise<import('../generated/score').Interval>} Run */

/** @param {Worker} worker @returns {Run} */
const byMessages = (worker) => async (name) => {
  worker.postMessage(name)
  const [interval] = await once(worker, 'message')
  return interval
}

/** @type {Record<string, () => Run | Promise<Run>>} */
const hosts = {
  worker: () => byMessages(new Worker(WORKER, { workerData: 'messages' })),
  nested: () => byMessages(new Worker(WORKER, { workerData: 'nested' })),
  eval: () => {
    const source = fs.readFileSync(path.join(__dirname, 'tasks.js'), 'utf8')
    const body = `${source}\nconst { parentPort } = require('node:worker_threads')
parentPort.on('message', (name) => setTimeout(() => {
  const startMs = Date.now()
  exports[name]()
  parentPort.postMessage({ startMs, endMs: Date.now() })
}, 30))`
    return byMessages(new Worker(body, { eval: true }))
  },
  server: async () => {
    const worker = new Worker(WORKER, { workerData: 'server' })
    const [{ port }] = await once(worker, 'message')
    return async (name) => {
      const [response] = await once(http.get(`http://127.0.0.1:${port}/${name}`), 'response')
      let text = ''
      for await (const chunk of response) text += chunk
      return JSON.parse(text)
    }
  },
  piscina: () => {
    const { Piscina } = require('piscina')
    const pool = new Piscina({ filename: POOL, minThreads: 1, maxThreads: 1, idleTimeout: Infinity })
    return (name) => pool.run({ name })
  },
  tinypool: async () => {
    const { Tinypool } = await import('tinypool')
    const pool = new Tinypool({ filename: POOL, runtime: 'worker_threads', minThreads: 1, maxThreads: 1 })
    return (name) => pool.run({ name })
  },
  workerpool: () => {
    const file = path.join(__dirname, 'workerpool-worker.js')
    const pool = require('workerpool').pool(file, { workerType: 'thread', minWorkers: 1, maxWorkers: 1 })
    return async (name) => pool.exec('timed', [{ name }])
  },
  waits: () => {
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20000)'
    new Worker(`setTimeout(() => ${wait}, 300)`, { eval: true }).unref()
    return async () => {
      await sleep(1000)
      return { startMs: 0, endMs: 0 }
    }
  }
}

async function main () {
  const agent = loopwatch.start({ port: 0, log: false })
  await agent.ready
  const run = await hosts[host]()
  await sleep(CALM_MS)
  const intervals = []
  for (let i = 0; i < blocks; i++) {
    intervals.push(await run(task))
    await sleep(APART_MS)
  }
  await sleep(SETTLE_MS)
  const records = await agent.blocks()
  process.stdout.write(JSON.stringify({ intervals, records }), () => process.exit())
}

main()
