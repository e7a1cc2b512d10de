'use strict'

const { eventually, startNode } = require('./app')
const { parseExposition } = require('./exposition')

/**
 * The application of fixtures/cluster-app.js, with its workers joined and listening.
 * @param {import('node:test').TestContext} t
 * @param {{ workers: number, agents?: 'all' | 'workers' | 'late', args?: string[], options?: object, env?:
 * Record<string, string> }} setup
 */
exports.startCluster = async (t, { workers, agents = 'all', args = [], options = {}, env = {} }) => {
  const { child, out } = startNode(t, [...args, 'cluster-app.js'], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...env, TEST_WORKERS: `${workers}`, TEST_AGENTS: agents, TEST_OPTIONS: JSON.stringify(options) }
  })
  /** @type {any[]} */
  const messages = []
  child.on('message', (message) => messages.push(message))
  const ready = () => messages.filter(({ event }) => event === 'ready')
  const joined = () => ready().filter(({ isWorker }) => isWorker)
  const saw = () => `the cluster; it said ${JSON.stringify(messages)} and ${out.stdout} ${out.stderr}`
  const expected = workers + (agents === 'workers' ? 0 : 1)
  await eventually(() => ready().length === expected && messages.filter(({ event }) => event === 'listening').length === workers, saw)
  const url = ready().find(({ isWorker }) => !isWorker)?.url
  const { port } = messages.find(({ event }) => event === 'listening')
  return {
    child,
    out,
    url,
    /** What each worker with an agent said when it was ready, in the order of their coming. */
    joined,
    lines: () => out.stdout.split('\n').flatMap((text) => {
      try { return [JSON.parse(text)] } catch { return [] }
    }),
    /** @param {object} message */
    tell: (message) => child.send(message),
    /** Asks the application, of which some worker answers. @param {string} path */
    get: async (path) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text(),
    samples: async () => parseExposition(await (await fetch(`${url}/metrics`)).text()).samples,
    /** @param {string} path @returns {Promise<any>} */
    json: async (path) => (await fetch(`${url}${path}`)).json()
  }
}
