'use strict'

const { execFile, spawnSync } = require('node:child_process')
const { promisify } = require('node:util')

const CONNECTIONS = 50
const hasWrk = spawnSync('wrk', ['--version']).error === undefined

exports.driver = hasWrk ? 'wrk' : 'autocannon'

/**
 * Closed-loop load on a URL, by wrk where the machine has it (it takes less of a core than the
 * server), else by autocannon.
 * @param {string} url
 * @param {number} seconds
 * @returns {Promise<{ requestsPerSecond: number, p99Ms: number }>}
 */
exports.load = async (url, seconds) => {
  if (!hasWrk) {
    const result = await require('autocannon')({ url, connections: CONNECTIONS, duration: seconds })
    return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 }
  }
  const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', url])
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[/** @type {'us' | 'ms' | 's'} */ (unit)]
  }
}
