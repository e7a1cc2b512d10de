'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')
const { findTool, Tool } = require('../common/tool')
const { choosePort } = require('../common/ports')
const { watchSignals } = require('../common/signals')
const { DEFAULT_TARGET } = require('../common/flags')
const { parsed } = require('../common/parse')

const ROOT = path.join(__dirname, '..', '..', '..')
const START = path.join(ROOT, 'scenarios', 'demo', 'start.js')
/** The settings of both tools. */
const SETTINGS = path.join(ROOT, 'grafana')
const DASHBOARDS = path.join(SETTINGS, 'dashboards')

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
  let grafanaText = `not on the PATH (${GET_GRAFANA}); dashboards to import: ${DASHBOARDS}`
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

/** @param {string} text of prometheus.yml @param {number} intervalS */
const withInterval = (text, intervalS) => text.replace(/^( *(?:scrape|evaluation)_interval: ).*$/gm, `$1${intervalS}s`)

/**
 * Uses the files of grafana/prometheus/. Its data is in a folder of ours.
 * @param {{ file: string, dir: string, port: number, targets: string[], intervalS: number }} setup
 *   file: the executable; targets: host:port; intervalS: between scrapes, and between evaluations
 */
function startPrometheus ({ file, dir, port, targets, intervalS }) {
  const folder = path.join(SETTINGS, 'prometheus')
  const config = path.join(dir, 'prometheus.yml')
  fs.writeFileSync(config, withInterval(fs.readFileSync(path.join(folder, 'prometheus.yml'), 'utf8'), intervalS))
  for (const name of ['recording.yml', 'alerts.yml']) fs.copyFileSync(path.join(folder, name), path.join(dir, name))
  // Any JSON is also YAML.
  fs.writeFileSync(path.join(dir, 'targets.yml'), JSON.stringify([{ targets }]))
  return new Tool('Prometheus', file, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    // For the ids of blocks in the buckets of their durations.
    '--enable-feature=exemplar-storage'
  ])
}

/**
 * Grafana does not find its own files. They are next to bin/ (archive), in share/grafana (Homebrew), or where Debian's
 * and RPM packages put them. @param {string} file the executable
 */
function homeOf (file) {
  const bin = path.dirname(fs.realpathSync(file))
  const homes = [path.join(bin, '..'), path.join(bin, '..', 'share', 'grafana'), '/usr/share/grafana']
  return homes.find((home) => fs.existsSync(path.join(home, 'conf', 'defaults.ini'))) ?? null
}

/**
 * Uses the files of grafana/provisioning/. Everyone is a viewer, and the data is in a folder of ours.
 * @param {{ file: string, dir: string, port: number, prometheusUrl: string, agentUrl: string, intervalS: number }}
 *   setup file: the executable; agentUrl: for links from ids of blocks; intervalS: between scrapes
 */
function startGrafana ({ file, dir, port, prometheusUrl, agentUrl, intervalS }) {
  const home = homeOf(file)
  // Before it took commands, the program was called grafana-server.
  const command = /^grafana-server/.test(path.basename(file)) ? [] : ['server']
  return new Tool('Grafana', file, [...command, ...(home === null ? [] : ['--homepath', home])], {
    env: {
      GF_PATHS_DATA: path.join(dir, 'grafana'),
      GF_PATHS_LOGS: path.join(dir, 'grafana', 'log'),
      GF_PATHS_PLUGINS: path.join(dir, 'grafana', 'plugins'),
      GF_PATHS_PROVISIONING: path.join(SETTINGS, 'provisioning'),
      GF_LOG_MODE: 'console',
      GF_SERVER_HTTP_ADDR: '127.0.0.1',
      GF_SERVER_HTTP_PORT: `${port}`,
      GF_AUTH_ANONYMOUS_ENABLED: 'true',
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      // Everybody knows the default.
      GF_SECURITY_ADMIN_PASSWORD: randomBytes(16).toString('hex'),
      GF_ANALYTICS_REPORTING_ENABLED: 'false',
      GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
      GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
      GF_NEWS_NEWS_FEED_ENABLED: 'false',
      GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: path.join(DASHBOARDS, 'overview.json'),
      STACK_PROMETHEUS_URL: prometheusUrl,
      STACK_AGENT_URL: agentUrl,
      STACK_INTERVAL: `${intervalS}s`,
      STACK_DASHBOARDS: DASHBOARDS
    }
  })
}

/** For the user's own Grafana. @param {string} to folder, made if needed */
exports.writeDashboards = (to) => {
  try {
    makeFolder(to)
    return fs.readdirSync(DASHBOARDS).filter((name) => name.endsWith('.json')).map((name) => {
      const file = path.join(to, name)
      fs.copyFileSync(path.join(DASHBOARDS, name), file)
      return file
    })
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--dashboards', to, error.message)
  }
}

exports.withInterval = withInterval
