'use strict'

const SERIES = /^(loopwatch_[a-z_]+)\{([^}]*)\} (\S+)$/gm
const LABEL = /(\w+)="([^"]*)"/g

/**
 * The agent of a server, read at its endpoint, which answers whatever its event loop does. The
 * primary's has everyone's; it serves nothing itself.
 * @param {string} url
 */
exports.remoteAgent = (url) => {
  /** @param {string} path */
  const get = async (path) => {
    const response = await fetch(`${url}${path}`)
    if (!response.ok) throw new Error(`${url}${path} answers ${response.status}`)
    return response.text()
  }
  return {
    metrics: async () => (await get('/metrics')).split('\n').filter((line) => !line.includes('{worker="primary"')).join('\n'),
    blocks: async () => /** @type {{ worker: number | null }[]} */ (JSON.parse(await get('/blocks'))),
    load: async () => readLoad(await get('/metrics'))
  }
}

/** @typedef {{ active: number, idle: number, cpuSeconds: number, requests: number }} WorkerLoad since its start */

/**
 * The work of each worker. Without a cluster there is one, named ''.
 * @param {string} exposition
 * @returns {Record<string, WorkerLoad>}
 */
function readLoad (exposition) {
  /** @type {Record<string, WorkerLoad>} */
  const workers = {}
  for (const [, name, text, value] of exposition.matchAll(SERIES)) {
    const labels = Object.fromEntries([...text.matchAll(LABEL)].map(([, key, label]) => [key, label]))
    const worker = labels.worker ?? ''
    if (worker === 'primary' || (labels.thread ?? 'main') !== 'main') continue
    const load = workers[worker] ??= { active: 0, idle: 0, cpuSeconds: 0, requests: 0 }
    if (name === 'loopwatch_eventloop_time_seconds_total') load[/** @type {'active' | 'idle'} */ (labels.state)] += Number(value)
    if (name === 'loopwatch_thread_cpu_seconds_total') load.cpuSeconds += Number(value)
    if (name === 'loopwatch_http_request_duration_seconds_count') load.requests += Number(value)
  }
  return workers
}

/**
 * Utilization and requests of each worker between two readings, in the order of their names.
 * @param {Record<string, WorkerLoad>} before @param {Record<string, WorkerLoad>} after
 */
exports.betweenLoads = (before, after) => Object.keys(after).sort().map((worker) => {
  const past = before[worker] ?? { active: 0, idle: 0, cpuSeconds: 0, requests: 0 }
  const active = after[worker].active - past.active
  const all = active + after[worker].idle - past.idle
  return { worker, utilization: all <= 0 ? 0 : active / all, requests: after[worker].requests - past.requests }
})

exports.readLoad = readLoad
