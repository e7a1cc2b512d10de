'use strict'

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const SCRIPT = path.join(__dirname, 'k6-script.mjs')
const MARK = 'LOOPWATCH '
const MS_PER_S = 1000
/** Metrics of k6 by our names. */
const PARTS = { blockedMs: 'http_req_blocked', connectingMs: 'http_req_connecting', durationMs: 'http_req_duration', receivingMs: 'http_req_receiving', sendingMs: 'http_req_sending', waitingMs: 'http_req_waiting' }

/** Null where it is not on the PATH. */
exports.findK6 = () => {
  const { status, stdout } = spawnSync('k6', ['version'], { encoding: 'utf8' })
  return status === 0 ? { version: /v(\d[\w.]*)/.exec(stdout)?.[1] ?? 'unknown' } : null
}

/** @param {any} values of a trend @returns {import('../interface').Summary} */
const summary = (values = {}) => ({
  avg: values.avg ?? 0, min: values.min ?? 0, med: values.med ?? 0, max: values.max ?? 0, p90: values['p(90)'] ?? 0, p95: values['p(95)'] ?? 0, p99: values['p(99)'] ?? 0
})

/**
 * k6's own summary, in our terms.
 * @param {any} metrics @param {{ users: number, durationMs: number, cpuSeconds: number }} run
 * @returns {import('../interface').LoadResult}
 */
exports.readSummary = (metrics, { users, durationMs, cpuSeconds }) => {
  const values = (/** @type {string} */ name) => metrics[name]?.values ?? {}
  const all = values('http_reqs').count ?? 0
  // A rate's "passes" are those for which it is true: here, that failed.
  const failed = values('http_req_failed').passes ?? 0
  const parts = Object.fromEntries(Object.entries(PARTS).map(([part, name]) => [part, summary(values(name))]))
  return /** @type {any} */ ({
    driver: 'k6',
    requests: all - failed,
    failed,
    errors: failed === 0 ? {} : { 'as k6 counts them': failed },
    seconds: durationMs / MS_PER_S,
    perSecond: (all - failed) / durationMs * MS_PER_S,
    bytesReceived: values('data_received').count ?? 0,
    bytesSent: values('data_sent').count ?? 0,
    users,
    latenciesMs: new Float64Array(),
    latencyMs: parts.durationMs,
    ...parts,
    probeMs: null,
    probeFailed: 0,
    probeUnanswered: 0,
    late: values('dropped_iterations').count ?? 0,
    own: { cpuSeconds, utilization: null, delayP99Ms: null, isBottleneck: false }
  })
}

/**
 * The same load by k6.
 * @param {import('../interface').LoadOrder} order
 * @returns {Promise<import('../interface').LoadResult>}
 */
exports.runK6 = (order) => new Promise((resolve, reject) => {
  const { url, users, seconds, ratePerSecond, keepAlive = true, headers = {}, expect = {} } = order
  const child = spawn('k6', ['run', '--quiet', '--no-usage-report', '--address', '', SCRIPT], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      LOAD_ORDER: JSON.stringify({ url, users, seconds, ratePerSecond, keepAlive, headers, expect })
    }
  })
  let [stdout, stderr, cpuSeconds] = ['', '', 0]
  const sampler = setInterval(() => { cpuSeconds = cpuOf(child.pid) ?? cpuSeconds }, 100)
  child.stdout.setEncoding('utf8').on('data', (text) => { stdout += text })
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr = (stderr + text).slice(-2000) })
  child.once('error', reject)
  child.once('close', (code, signal) => {
    clearInterval(sampler)
    const line = stdout.split('\n').find((each) => each.startsWith(MARK))
    if (line === undefined) return reject(new Error(`k6 ended (${signal ?? `exit code ${code}`}) without a summary: ${stderr.trim()}`))
    const { metrics, durationMs } = JSON.parse(line.slice(MARK.length))
    resolve(exports.readSummary(metrics, { users, durationMs, cpuSeconds }))
  })
})

/** @param {number | undefined} pid */
function cpuOf (pid) {
  if (pid === undefined || !fs.existsSync('/proc')) return null
  return require('../../harness/measure/usage').processUsage(pid).cpuSeconds
}
