'use strict'

const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')

const MS_PER_S = 1000
const HEALTH_PER_SECOND = 40
const SEED = 20261123

/**
 * @typedef {{ dueMs: number, route: '/work' | '/health', kind: number }} Arrival dueMs: from the beginning of the load
 */

/**
 * Requests at random times, the same ones in every run: users who do not know of each other.
 * @param {number} perSecond of the route that works
 * @param {number} seconds
 * @returns {Arrival[]}
 */
exports.arrivalsOf = (perSecond, seconds) => {
  let state = SEED
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 1) / (2 ** 32 + 1)
  const at = (/** @type {Arrival['route']} */ route, /** @type {number} */ rate) => {
    const arrivals = []
    for (let dueMs = 0, kind = 0; (dueMs -= Math.log(random()) / rate * MS_PER_S) < seconds * MS_PER_S; kind++) {
      arrivals.push({ dueMs, route, kind })
    }
    return arrivals
  }
  return [...at('/work', perSecond), ...at('/health', HEALTH_PER_SECOND)].sort((a, b) => a.dueMs - b.dueMs)
}

/**
 * @param {http.Agent} agent @param {string} url
 * @returns {Promise<string>}
 */
exports.ask = (agent, url) => new Promise((resolve, reject) => {
  http.get(url, { agent }, (response) => {
    let body = ''
    response.setEncoding('utf8').on('data', (text) => { body += text }).on('end', () => resolve(body)).on('error', reject)
  }).on('error', reject)
})

/**
 * Sends each request when it is due, whatever became of those before.
 * @param {http.Agent} agent
 * @param {string} url
 * @param {Arrival[]} arrivals
 * @returns {Promise<{ fromMs: number, answered: (Arrival & { latencyMs: number, body: string })[] }>} latency from when
 *   it was due; fromMs: of the load, on the monotonic clock of all processes
 */
exports.send = async (agent, url, arrivals) => {
  const [s, ns] = process.hrtime()
  const fromMs = performance.now()
  const open = []
  for (const arrival of arrivals) {
    const waitMs = fromMs + arrival.dueMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const sentMs = performance.now()
    open.push(exports.ask(agent, `${url}${arrival.route}?${arrival.kind}`).then((body) =>
      // Timers come up to a millisecond too early, which is no gain of the server's.
      ({ ...arrival, body, latencyMs: performance.now() - Math.min(sentMs, fromMs + arrival.dueMs) })))
  }
  return { fromMs: s * MS_PER_S + ns / 1e6, answered: await Promise.all(open) }
}
