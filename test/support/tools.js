'use strict'

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { eventually } = require('./app')

/**
 * Whether a tool is on the PATH. Without it the test is skipped and says so; in CI it fails.
 * @param {import('node:test').TestContext} t
 * @param {string} tool
 */
exports.needs = (t, tool) => {
  if (spawnSync(tool, ['--version']).error === undefined) return true
  if (process.env.CI === 'true') throw new Error(`CI lacks ${tool}`)
  t.skip(`needs ${tool} on the PATH`)
  return false
}

/** Below the ports that systems give to clients and to servers that ask for any (from 32768 or 49152). */
const OWN_PORTS = { from: 10_000, count: 20_000 }

/** A port that nobody has, and that nobody gets by chance before the test takes it. @returns {Promise<string>} */
exports.freePort = () => new Promise((resolve) => {
  const port = OWN_PORTS.from + Math.floor(Math.random() * OWN_PORTS.count)
  const probe = net.createServer()
    .once('error', () => resolve(exports.freePort()))
    .listen(port, '127.0.0.1', () => probe.close(() => resolve(`${port}`)))
})

/**
 * A real Prometheus that scrapes each target every second.
 * @param {import('node:test').TestContext} t
 * @param {string | Record<string, string>} targets host:port, or that by job
 * @param {string[]} [flags]
 * @returns {Promise<((expression: string) => Promise<any[]>) & { url: string }>} asks it an instant query
 */
exports.startPrometheus = async (t, targets, flags = []) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-prometheus-'))
  const config = path.join(dir, 'prometheus.yml')
  const jobs = Object.entries(typeof targets === 'string' ? { app: targets } : targets)
    .map(([job, target]) => `{ job_name: ${job}, static_configs: [{ targets: ['${target}'] }] }`)
  fs.writeFileSync(config, `global: { scrape_interval: 1s }\nscrape_configs: [${jobs}]\n`)
  const child = spawn('prometheus', [`--config.file=${config}`, `--storage.tsdb.path=${dir}/data`, '--web.listen-address=127.0.0.1:0', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (data) => { log += data })
  t.after(async () => {
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await closed
    fs.rmSync(dir, { recursive: true, force: true })
  })
  const address = await eventually(() => /msg="?Listening on"? address=(\S+)/.exec(log)?.[1], () => `Prometheus to listen: ${log}`)
  await eventually(async () => (await fetch(`http://${address}/-/ready`)).ok, 'Prometheus to be ready')
  const url = `http://${address}`
  return Object.assign(async (/** @type {string} */ expression) => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
    return /** @type {any} */ (await response.json()).data?.result ?? []
  }, { url })
}
