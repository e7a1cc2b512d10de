'use strict'

// A service as there are many: Fastify, JSON bodies, timers, a worker thread. With SOAK_OPTIONS under the agent. It
// blocks on demand, and reports how long that took.
const path = require('node:path')
const { Worker } = require('node:worker_threads')

const ORDERS = 2000
const SWEEP_MS = 250
const TOTALS_MS = 1000

const agent = process.env.SOAK_OPTIONS === undefined ? null : require('../../../lib').start(JSON.parse(process.env.SOAK_OPTIONS))
const fastify = require('fastify')
const { block, calibrate } = require('./blocks')
const { THREAD } = require('./thread-name')

/**
 * @typedef {{ id: number, lines: { sku: string, count: number, price: number }[], total: number, checksum: string }}
 * Order
 */

/** @type {Map<number, Order>} */
const orders = new Map()
let lastId = 0
let revenue = 0

const worker = new Worker(path.join(__dirname, 'thread.js'), { name: THREAD })
/** @type {Map<number, (answer: any) => void>} */
const asked = new Map()
let lastQuestion = 0
worker.on('message', (answer) => {
  asked.get(answer.id)?.(answer)
  asked.delete(answer.id)
})
/** @param {object} question @returns {Promise<any>} */
const askWorker = (question) => new Promise((resolve) => {
  const id = ++lastQuestion
  asked.set(id, resolve)
  worker.postMessage({ id, ...question })
})

const app = fastify()
app.post('/orders', async (/** @type {any} */ request, /** @type {any} */ reply) => {
  const { lines } = /** @type {Order} */ (request.body)
  const total = lines.reduce((sum, { count, price }) => sum + count * price, 0)
  const { checksum } = await askWorker({ text: JSON.stringify(lines) })
  const id = ++lastId
  orders.set(id, { id, lines, total, checksum })
  return reply.code(201).send({ id, total })
})
app.get('/orders/:id', async (/** @type {any} */ request, /** @type {any} */ reply) => {
  const order = orders.get(Number(request.params.id))
  return order ?? reply.code(404).send({ error: 'no such order' })
})
app.get('/reports/:kind', async (/** @type {any} */ request) => {
  const { kind } = request.params
  return block({ kind, ms: Number(request.query.ms) })
})

setInterval(() => {
  for (const id of orders.keys()) {
    if (orders.size <= ORDERS) break
    orders.delete(id)
  }
}, SWEEP_MS)
setInterval(() => { revenue = [...orders.values()].reduce((sum, { total }) => sum + total, 0) }, TOTALS_MS)

process.on('message', async (/** @type {any} */ { order, inThread }) => {
  if (order === undefined) process.send?.({ memory: process.memoryUsage() })
  else if (inThread) process.send?.({ truth: (await askWorker({ order })).truth, revenue })
  else setTimeout(() => process.send?.({ truth: block(order), revenue }), 1)
})
process.on('disconnect', () => process.exit())
// Ctrl-C is for the run, which asks a last time.
process.on('SIGINT', () => {})

calibrate()
app.listen({ port: 0, host: '127.0.0.1' }).then(async () => {
  const { url = null } = await agent?.ready ?? {}
  const { port } = /** @type {import('node:net').AddressInfo} */ (app.server.address())
  process.send?.({ port, url })
})
