'use strict'

const path = require('node:path')
const { setTimeout: wait } = require('node:timers/promises')
const { eventually, FIXTURES, startNode } = require('./app')

const SERVER = path.join(FIXTURES, 'orders', 'server.js')

/**
 * The application of fixtures/orders/server.js, listening.
 * @param {import('node:test').TestContext} t
 * @param {number} workers 0 = no cluster
 */
exports.startObserved = async (t, workers) => {
  const { child, out } = startNode(t, [SERVER], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], env: { TEST_WORKERS: `${workers}` } })
  /** @type {any[]} */
  const messages = []
  child.on('message', (message) => messages.push(message))
  const servers = () => messages.filter(({ event }) => event === 'listening')
  const endpoint = () => messages.find(({ event, pid, url }) => event === 'ready' && pid === child.pid && url)?.url
  const ready = (/** @type {number} */ count) => eventually(() => servers().length === count && endpoint(), () => `the application: ${JSON.stringify(messages)} ${out.stdout} ${out.stderr}`)
  await ready(Math.max(1, workers))
  return {
    child,
    url: /** @type {string} */ (endpoint()),
    /** Process ids and ports of who serves, in the order of their coming. @returns {{ pid: number, port: number }[]} */
    servers,
    /** Forks another worker, and waits for it. */
    fork: async () => {
      const count = servers().length
      child.send({ fork: 1 })
      await ready(count + 1)
    }
  }
}

/** @param {number} port @param {string} route @param {string} [query] */
const ask = (port, route, query = '') => fetch(`http://127.0.0.1:${port}/${query}`, { headers: { 'x-route': route } })

/** Asks all servers for routes in turn until it is stopped. @param {() => number[]} ports @param {string[]} routes */
exports.startTraffic = (ports, routes) => {
  const stopped = new AbortController()
  const ended = (async () => {
    for (let i = 0; !stopped.signal.aborted; i++) {
      // Who is blocked or gone keeps nobody else waiting.
      for (const port of ports()) {
        ask(port, routes[i % routes.length])
          .then((response) => response.text())
          .catch(() => {})
      }
      await wait(100)
    }
  })()
  return () => {
    stopped.abort()
    return ended
  }
}

exports.ask = ask
