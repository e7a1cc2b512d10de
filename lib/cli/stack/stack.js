'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { FOLDER } = require('./dashboards')
const { findTool } = require('../common/find-tool')
const { startGrafana } = require('./grafana')
const { choosePort } = require('../common/port')
const { startPrometheus } = require('./prometheus')
const { watchSignals } = require('../common/interruption')
const { DEFAULT_TARGET } = require('../common/flags')
const { parsed } = require('../common/parsed')
const { Tool } = require('../common/tool')

const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/** Agents with an endpoint: the shop's and its queue worker's. */
const WATCHED = 2

const QUERY = 'max_over_time(loopwatch_block_in_progress_seconds[1m])'
/** Between polls of what has to answer; also each poll's timeout. */
const POLL_MS = 2000
const HINT = ': is the application running, and is this the port of its agent?'
const GET_PROMETHEUS = 'apt install prometheus, brew install prometheus or https://prometheus.io/download/'
const GET_GRAFANA = 'brew install grafana or https://grafana.com/grafana/download'

/**
 * @typedef {{ target?: string[], demo?: boolean, port?: number, grafanaPort?: number, interval: number, seconds?:
 *   number }} Flags
 */

/** All tools end when a signal comes, the time is over or one of them ends. @param {Flags} flags */
exports.stack = async (flags) => {
  const prometheus = findTool(['prometheus'])
  if (prometheus === null) throw codedError('LOOPWATCH_ERR_TOOL', 'prometheus', GET_PROMETHEUS)
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-stack-'))
  /** @type {Tool[]} in the order of their start */
  const tools = []
  const signals = watchSignals(() => tools.forEach((tool) => tool.kill()))
  try {
    await Promise.race([signals.first, run(flags, { prometheus, dir, tools, signals })])
  } finally {
    signals.stop()
    // Prometheus and Grafana first, then what they watch.
    for (const tool of tools.reverse()) await tool.end()
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
    signals.release()
  }
}

/**
 * @param {Flags} flags @param {{ prometheus: string, dir: string, tools: Tool[],
 *   signals: ReturnType<typeof watchSignals> }} setup
 */
async function run (flags, { prometheus, dir, tools, signals }) {
  const { interval: intervalS } = flags
  const targets = [...flags.target ?? []]
  const grafana = findTool(['grafana', 'grafana-server'])
  const port = await choosePort({ flag: '--port', port: flags.port, usual: 9090 })
  const grafanaPort = grafana === null ? 0 : await choosePort({ flag: '--grafana-port', port: flags.grafanaPort, usual: 3000 })
  if (flags.demo) {
    signals.check()
    const demo = startDemo()
    tools.push(demo.tool)
    targets.push(...(await Promise.race([demo.urls, demo.tool.died])).map((url) => new URL(url).host))
  }
  if (targets.length === 0) targets.push(DEFAULT_TARGET)

  signals.check()
  const prometheusUrl = `http://127.0.0.1:${port}`
  const server = startPrometheus({ file: prometheus, dir, port, targets, intervalS })
  tools.push(server)
  await server.ready(`${prometheusUrl}/-/ready`)
  let grafanaText = `not on the PATH (${GET_GRAFANA}); dashboards to import: ${FOLDER}`
  if (grafana !== null) {
    signals.check()
    const viewer = startGrafana({ file: grafana, dir, port: grafanaPort, prometheusUrl, agentUrl: `http://${targets[0]}`, intervalS })
    tools.push(viewer)
    grafanaText = `http://127.0.0.1:${grafanaPort}`
    await viewer.ready(`${grafanaText}/api/health`)
  }

  process.stdout.write(`
  watched      ${targets.join(', ')}, every ${intervalS} s
  Prometheus   ${prometheusUrl}/graph?g0.tab=0&g0.range_input=15m&g0.expr=${encodeURIComponent(QUERY)}
  alerts       ${prometheusUrl}/alerts
  Grafana      ${grafanaText}
  end          ${flags.seconds === undefined ? 'Ctrl-C ends' : `after ${flags.seconds} s, or by Ctrl-C`}

`)
  const silent = watchAnswers([...targets.map(serviceAt), ...tools], signals)
  const isOver = flags.seconds === undefined ? [] : [signals.sleep(flags.seconds * 1000)]
  await Promise.race([...isOver, silent, ...tools.map(({ died }) => died)])
}

/** @param {string} name host:port */
const serviceAt = (name) => ({ name, url: `http://${name}/healthz`, hint: HINT })

/**
 * Prints when a target or a tool stops or starts to answer.
 * @param {{ name: string, url?: string, hint?: string }[]} services @param {ReturnType<typeof watchSignals>} signals
 * @returns {Promise<never>}
 */
async function watchAnswers (services, signals) {
  /** @type {Map<string, boolean>} */
  const known = new Map()
  while (!signals.isOver) {
    for (const { name, url, hint = '' } of services) {
      // The demo's endpoints are among the targets.
      if (url === undefined) continue
      const isUp = await fetch(url, { signal: AbortSignal.timeout(POLL_MS) }).then(() => true, () => false)
      if (signals.isOver || known.get(name) === isUp) continue
      if (!isUp) process.stderr.write(`  ${name} does not answer${hint}\n`)
      else if (known.has(name)) process.stderr.write(`  ${name} answers\n`)
      known.set(name, isUp)
    }
    await signals.sleep(POLL_MS).catch(() => {})
  }
  return new Promise(() => {})
}

/** @returns {{ tool: Tool, urls: Promise<string[]> }} urls of its agents' endpoints */
const startDemo = () => {
  if (!fs.existsSync(START)) throw codedError('LOOPWATCH_ERR_DEMO', START)
  /** @type {Set<string>} */
  const found = new Set()
  /** @type {(urls: string[]) => void} */
  let settle
  const urls = new Promise((resolve) => { settle = resolve })
  const tool = new Tool('the demo', process.execPath, [START], {
    onLine: (line) => {
      const { name, event, url } = parsed(line)
      if (name !== 'loopwatch' || event !== 'listening') return
      found.add(url)
      if (found.size === WATCHED) settle([...found])
    }
  })
  return { tool, urls }
}
