'use strict'

const { execFile, spawnSync } = require('node:child_process')
const os = require('node:os')
const { promisify } = require('node:util')
const { percentile } = require('../../load/summary')

const CONNECTIONS = 50
const has = (/** @type {string} */ command) => spawnSync(command, ['--version']).error === undefined
const hasWrk = has('wrk')
/** CPUs of the measured server, and of the load and the waiting server. */
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
  if (!hasWrk) return byAutocannon(url, seconds)
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', url]
  const [command, ...args] = isPinned ? ['taskset', '-c', `${LOAD_CORE}`, ...wrk] : wrk
  const { stdout } = await promisify(execFile)(command, args)
  return readWrk(stdout)
}

/**
 * Its own percentiles are whole milliseconds, which is 0 for a fast server: they are taken of what it says of each
 * answer.
 * @param {string} url @param {number} seconds @returns {Promise<Burst>}
 */
async function byAutocannon (url, seconds) {
  /** @type {number[]} */
  const latenciesMs = []
  const run = require('autocannon')({ url, connections: CONNECTIONS, duration: seconds })
  run.on('response', (/** @type {unknown} */ _client, /** @type {number} */ _status, /** @type {number} */ _bytes, /** @type {number} */ ms) => latenciesMs.push(ms))
  const { requests, errors, non2xx } = await run
  latenciesMs.sort((a, b) => a - b)
  return {
    requestsPerSecond: requests.average,
    requests: requests.total,
    failed: errors + non2xx,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99)
  }
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
