'use strict'

const { execFile, spawnSync } = require('node:child_process')
const os = require('node:os')
const { promisify } = require('node:util')

const CONNECTIONS = 50
const has = (/** @type {string} */ command) => spawnSync(command, ['--version']).error === undefined
const hasWrk = has('wrk')
/** Where the server that is measured runs, and where the load and what waits for its turn do. */
const SERVER_CORE = 0
const LOAD_CORE = 1
const isPinned = hasWrk && process.platform === 'linux' && os.availableParallelism() > 1 && has('taskset')

exports.SERVER_CORE = SERVER_CORE
exports.LOAD_CORE = LOAD_CORE
exports.driver = hasWrk ? 'wrk' : 'autocannon'

/** @typedef {{ requestsPerSecond: number, requests: number, failed: number, p50Ms: number, p99Ms: number }} Burst */

/**
 * Closed-loop load on a URL, by wrk where the machine has it (it takes less of a core than the
 * server), else by autocannon.
 * @param {string} url
 * @param {number} seconds whole ones: wrk takes no others
 * @returns {Promise<Burst>}
 */
exports.load = async (url, seconds) => {
  if (!hasWrk) {
    const { requests, errors, non2xx, latency } = await require('autocannon')({ url, connections: CONNECTIONS, duration: seconds })
    return {
      requestsPerSecond: requests.average,
      requests: requests.total,
      failed: errors + non2xx,
      p50Ms: latency.p50,
      p99Ms: latency.p99
    }
  }
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', url]
  const [command, ...args] = isPinned ? ['taskset', '-c', `${LOAD_CORE}`, ...wrk] : wrk
  const { stdout } = await promisify(execFile)(command, args)
  return readWrk(stdout)
}

/** @param {string} text @returns {Burst} */
function readWrk (text) {
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1).map(Number) ?? []
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
    failed: errors.reduce((sum, each) => sum + each, Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0)),
    p50Ms: quantile(text, 50),
    p99Ms: quantile(text, 99)
  }
}

/** @param {string} text @param {number} percent */
function quantile (text, percent) {
  const [, value, unit] = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s)`, 'm').exec(text) ?? []
  return Number(value) * { us: 0.001, ms: 1, s: 1000 }[/** @type {'us' | 'ms' | 's'} */ (unit)]
}

exports.readWrk = readWrk
