'use strict'

/**
 * @typedef {{ route: string, requests: number, meanMs: number, waitedMs: number }} Latency of one route; waitedMs: of the mean, behind what else blocked the loop
 */

/**
 * What the agent's metrics say of requests and of the loop.
 * @param {string} text Prometheus text
 * @returns {{ latencies: Latency[], utilization: number | null }}
 */
exports.readMetrics = (text) => {
  /** @type {Map<string, { requests: number, seconds: number, waited: number }>} */
  const routes = new Map()
  const time = { active: 0, idle: 0 }
  for (const [, name, labels, value] of text.matchAll(/^loopwatch_(\w+)\{(.*)\} (\S+)$/gm)) {
    const label = (/** @type {string} */ key) => new RegExp(`(?:^|,)${key}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels)?.[1] ?? ''
    const amount = Number(value)
    if (name === 'eventloop_time_seconds_total' && label('thread') === 'main') time[/** @type {'active' | 'idle'} */ (label('state'))] += amount
    const field = name === 'http_request_duration_seconds_count' ? 'requests' : name === 'http_request_duration_seconds_sum' ? 'seconds' : name === 'http_request_blocked_seconds_sum' ? 'waited' : null
    if (field === null) continue
    const route = routes.get(label('route')) ?? { requests: 0, seconds: 0, waited: 0 }
    route[field] += amount
    routes.set(label('route'), route)
  }
  const latencies = [...routes].filter(([, { requests }]) => requests > 0)
    .map(([route, { requests, seconds, waited }]) => ({ route, requests, meanMs: seconds / requests * 1000, waitedMs: waited / requests * 1000 }))
    .sort((a, b) => b.waitedMs * b.requests - a.waitedMs * a.requests)
  return { latencies, utilization: time.active + time.idle > 0 ? time.active / (time.active + time.idle) : null }
}
