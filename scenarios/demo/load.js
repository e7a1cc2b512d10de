'use strict'

// A gentle load on the shop, in its own process: a few healthy requests per second, and one
// that blocks from time to time. `node scenarios/demo/load.js <url> <ms between two that block>`
const { setTimeout: sleep } = require('node:timers/promises')
const { followParent } = require('./lifeline')

const HEALTHY_EVERY_MS = 200

const healthy = ['GET /', 'GET /products', 'GET /products/7', 'GET /orders/1042', 'GET /search?q=rope']

const blocking = [
  'GET /customers/17/recommendations',
  'POST /login?password=secret',
  'GET /search?q=waterproofjacketforchildren!',
  'POST /prices',
  'GET /orders/1042/invoice',
  'DELETE /sessions',
  'POST /orders/1042/reservation'
]

const [url, blockingEvery] = process.argv.slice(2)
const blockingEveryMs = Number(blockingEvery)

/** @param {string} request */
async function send (request) {
  const [method, path] = request.split(' ')
  try {
    const response = await fetch(url + path, { method })
    await response.text()
  } catch {
    // The shop is going down, or has; whoever started it says so.
  }
}

/**
 * Sends each in turn, for ever. Keeps its pace where an answer takes long, and then waits for it.
 * @param {string[]} requests
 * @param {number} everyMs
 */
async function repeat (requests, everyMs) {
  for (let i = 0; ; i++) await Promise.all([send(requests[i % requests.length]), sleep(everyMs)])
}

followParent()
repeat(healthy, HEALTHY_EVERY_MS)
sleep(blockingEveryMs).then(() => repeat(blocking, blockingEveryMs))
