'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { makeRandom } = require('./plan')

const SHORTEST_THINK_MS = 50
const LONGEST_THINK_MS = 250
const MOST_LINES = 60

/**
 * People who order something and look at it again, each on a connection that is kept.
 * @param {import('./service/service-process').Service} service
 * @param {{ users: number, seed: number }} setup
 * @returns {() => Promise<void>} ends it, once what is under way is answered
 */
exports.startLoad = (service, { users, seed }) => {
  const over = new AbortController()
  const ended = Promise.all(Array.from({ length: users }, async (_, i) => {
    const random = makeRandom(seed + i)
    const think = () => sleep(SHORTEST_THINK_MS + random() * (LONGEST_THINK_MS - SHORTEST_THINK_MS))
    while (!over.signal.aborted) {
      const lines = Array.from({ length: 1 + Math.floor(random() * MOST_LINES) }, (_, line) => ({ sku: `sku-${line}-${Math.floor(random() * 1e6)}`, count: 1 + line % 3, price: Math.round(random() * 10000) }))
      const order = await service.ask('POST', '/orders', { lines })
      await think()
      if (order === null) continue
      await service.ask('GET', `/orders/${order.id}`)
      await think()
    }
  }))
  return async () => {
    over.abort()
    await ended
  }
}
