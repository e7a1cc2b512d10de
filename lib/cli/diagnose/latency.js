'use strict'

const { MS_PER_S } = require('../../util/units')
const { parseSamples } = require('../common/metric-samples')

/** What is read of each route. @type {Record<string, 'requests' | 'seconds' | 'waited' | undefined>} */
const OF_ROUTES = {
  loopwatch_http_request_duration_seconds_count: 'requests',
  loopwatch_http_request_duration_seconds_sum: 'seconds',
  loopwatch_http_request_blocked_seconds_sum: 'waited'
}

/**
 * @typedef {{ route: string, requests: number, meanMs: number, waitedMs: number }} Latency of one route; waitedMs: mean
 * wait while something else blocked the loop
 */

/**
 * @typedef {{ latencies: Latency[], loop: { active: number, idle: number }, totals: Map<string, { ms: number, count:
 * number }> }} Metrics of one moment; loop: seconds; totals: all ended blocks of the main thread, by cause
 */

/** @param {string} text Prometheus text of the agent @returns {Metrics} */
exports.readMetrics = (text) => {
  /** @type {Map<string, { requests: number, seconds: number, waited: number }>} */
  const routes = new Map()
  const loop = { active: 0, idle: 0 }
  /** @type {Metrics['totals']} */
  const totals = new Map()
  for (const { name, labels: { cause, route, state, thread }, value } of parseSamples(text)) {
    if (name === 'loopwatch_eventloop_time_seconds_total' && thread === 'main') loop[/** @type {'active' | 'idle'} */ (state)] += value
    if (name === 'loopwatch_blocked_seconds_total') entry(totals, cause, noBlocks).ms += value * MS_PER_S
    if (name === 'loopwatch_block_duration_seconds_count' && thread === 'main') entry(totals, cause, noBlocks).count += value
    const field = OF_ROUTES[name]
    if (field !== undefined) entry(routes, route, noRequests)[field] += value
  }
  const latencies = [...routes]
    .filter(([, { requests }]) => requests > 0)
    .map(([route, { requests, seconds, waited }]) => ({
      route,
      requests,
      meanMs: (seconds / requests) * MS_PER_S,
      waitedMs: (waited / requests) * MS_PER_S
    }))
    .sort((a, b) => b.waitedMs * b.requests - a.waitedMs * a.requests)
  return { latencies, loop, totals }
}

const noBlocks = () => ({ ms: 0, count: 0 })
const noRequests = () => ({ requests: 0, seconds: 0, waited: 0 })

/** @template T @param {Map<string, T>} map @param {string} key @param {() => T} make */
function entry (map, key, make) {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** Active share between two moments. @param {Metrics['loop']} last @param {Metrics['loop']} [first] */
exports.utilizationOf = (last, first = { active: 0, idle: 0 }) => {
  const [active, idle] = [last.active - first.active, last.idle - first.idle]
  return active + idle > 0 ? active / (active + idle) : null
}
