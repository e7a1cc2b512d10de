'use strict'

const { createMemory, openBridge } = require('../../lib/bridge/memory')
const { statusOf } = require('../../lib/bridge/request-row')
const { Requests } = require('../../lib/host/work/http/requests')
const { eventually, startNode } = require('./app')
const { parseExposition } = require('./exposition')

const COUNT = 'loopwatch_http_request_duration_seconds_count'
const SPIN_MS = 200

/**
 * The server of fixtures/requests.js, of a framework, or of another fixture that says where it listens, under the
 * agent.
 * @param {{ after: (fn: () => unknown) => void }} t
 * @param {{ kind?: string, options?: object, route?: string, args?: string[], framework?: string, fixture?: string }}
 * [setup]
 */
exports.startServer = async (t, { kind = 'http', options = {}, route = '', args = [], framework = '', fixture = framework ? 'framework.js' : 'requests.js' } = {}) => {
  const app = startNode(t, [...args, fixture], {
    env: { FRAMEWORK: framework, REQUESTS_KIND: kind, REQUESTS_OPTIONS: JSON.stringify(options), REQUESTS_ROUTE: route }
  })
  const { port, url } = await eventually(() => /^\{.*\}$/m.test(app.out.stderr) && JSON.parse(/** @type {any} */ (/^\{.*\}$/m.exec(app.out.stderr))[0]), () => app.out.stderr)
  const samples = async () => parseExposition(await (await fetch(`${url}/metrics`)).text()).samples
  /** What has been counted: { 'GET /a 2xx': 1 }. */
  const counts = async () => Object.fromEntries((await samples()).filter(({ name }) => name === COUNT)
    .map(({ labels, value }) => [`${labels.method} ${labels.route} ${labels.status_class}`, value]))
  /** @param {Record<string, number>} expected @param {Record<string, number>} [known] what had been counted before */
  const settles = async (expected, known = {}) => {
    let last = {}
    await eventually(async () => {
      last = Object.fromEntries(
        Object.entries(await counts())
          .map(([name, value]) => [name, value - (known[name] ?? 0)])
          .filter(([, value]) => value !== 0)
      )
      return (
        JSON.stringify(Object.entries(last).sort()) === JSON.stringify(Object.entries(expected).sort()) &&
        (await inFlight()) === 0
      )
    }, () => `${JSON.stringify(expected)}, got ${JSON.stringify(last)}`)
  }
  const inFlight = async () => (await samples()).find(({ name }) => name === 'loopwatch_http_requests_in_flight')?.value
  /**
   * Those of the application's making, which spins for 200 ms: a busy machine adds others.
   * @returns {Promise<any[]>}
   */
  const blocks = async () => /** @type {any} */ (await (await fetch(`${url}/blocks`)).json()).filter((/** @type {any} */ { durationMs }) => durationMs >= SPIN_MS - 10)
  return { ...app, port, url, samples, counts, settles, inFlight, blocks, ask: (/** @type {string} */ path, /** @type {RequestInit} */ init = {}) => fetch(`http://127.0.0.1:${port}${path}`, init).then((response) => response.text()) }
}

/**
 * Senses requests in this process while something is done.
 * @template T
 * @param {() => Promise<T>} act
 */
exports.withRequests = async (act) => {
  const bridge = openBridge(createMemory())
  const requests = new Requests(bridge, {})
  try {
    const value = await act()
    await eventually(() => bridge.counters.get('inFlight') <= 0, 'the server to have heard of the ends, too')
    return { value, statuses: bridge.requests.drain().map(([packed]) => statusOf(packed)), inFlight: bridge.counters.get('inFlight') }
  } finally {
    requests.stop()
  }
}

exports.SPIN_MS = SPIN_MS
