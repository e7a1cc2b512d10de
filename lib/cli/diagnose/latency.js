'use strict'

const { MS_PER_S } = require('../../util/units')

/** The metrics of each route that are read. @type {Record<string, 'requests' | 'seconds' | 'waited' | undefined>} */
const OF_ROUTES = {
  http_request_duration_seconds_count: 'requests',
  http_request_duration_seconds_sum: 'seconds',
  http_request_blocked_seconds_sum: 'waited'
}

/**
 * @typedef {{ route: string, requests: number, meanMs: number, waitedMs: number }} Latency of one route; waitedMs: mean
 * wait while something else blocked the loop
 */

/**
 * @typedef {{ latencies: Latency[], loop: { active: number, idle: number }, totals: Map<string, { ms: number, count:
 * number }> }} Metrics of one moment; loop: seconds; totals: all ended blocks of the main thread, by cause
 */

/** Reads requests, loop and blocks from the agent's metrics. @param {string} text Prometheus text @returns {Metrics} */
exports.readMetrics = (text) => {
  /** @type {Map<string, { requests: number, seconds: number, waited: number }>} */
  const routes = new Map()
  const loop = { active: 0, idle: 0 }
  /** @type {Metrics['totals']} */
  const totals = new Map()
  for (const [, name, labels, value] of text.matchAll(/^loopwatch_(\w+)\{(.*)\} (\S+)$/gm)) {
    const label = (/** @type {string} */ key) => new RegExp(`(?:^|,)${key}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels)?.[1] ?? ''
    const amount = Number(value)
    if (name === 'eventloop_time_seconds_total' && label('thread') === 'main') loop[/** @type {'active' | 'idle'} */ (label('state'))] += amount
    if (name === 'blocked_seconds_total') entry(totals, label('cause'), noBlocks).ms += amount * MS_PER_S
    if (name === 'block_duration_seconds_count' && label('thread') === 'main') entry(totals, label('cause'), noBlocks).count += amount
    const field = OF_ROUTES[name]
    if (field !== undefined) entry(routes, label('route'), noRequests)[field] += amount
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

/** The loop's active share between two moments. @param {Metrics['loop']} last @param {Metrics['loop']} [first] */
exports.utilizationOf = (last, first = { active: 0, idle: 0 }) => {
  const [active, idle] = [last.active - first.active, last.idle - first.idle]
  return active + idle > 0 ? active / (active + idle) : null
}
