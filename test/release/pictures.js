'use strict'

// `npm run pictures [-- film page dashboards]`: README's film, and the pictures of the live page and of the dashboards,
// taken of the demo, of a cluster and of scenarios. Takes ten minutes, in which nothing else may run: on a busy machine
// blocks are `starved`.
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { ask, startObserved, startTraffic } = require('../support/observed')
const { installFor } = require('../support/packages')
const { IMAGES, remember } = require('../support/pictures')
const { freePort, startPrometheus } = require('../support/tools')
const { takeFilm } = require('./film')
const { MS_PER_MINUTE } = require('../../lib/util/units')

const ROOT = path.join(__dirname, '..', '..')
const PREVIEW = path.join(ROOT, 'grafana', 'preview')
const MAIN = path.join(ROOT, 'lib', 'cli', 'main.js')
/** For as long the demo blocks before the pictures: until each line has been seen more than once. */
const WARM_UP_MS = 45_000
/** What the dashboards of applications show. */
const DASHBOARD_MINUTES = 4
const ROUTES = ['/orders/:id', '/orders', '/cart', '/search']

/** Name, size and colours of each picture. */
const PICTURES = /** @type {const} */ ([
  { name: 'page-dark.png', width: 1280, height: 1000, colorScheme: 'dark' },
  { name: 'page-light.png', width: 1280, height: 1000, colorScheme: 'light' },
  { name: 'page-narrow.png', width: 390, height: 1100, colorScheme: 'light' }
])

/** What is to be ended, the last first. @type {(() => unknown)[]} */
const ends = []
const t = /** @type {any} */ ({ after: (/** @type {() => unknown} */ end) => ends.unshift(end) })

/** The addresses of the agents in the shop and in its worker. @returns {Promise<string[]>} */
function startDemo () {
  const demo = spawn(process.execPath, [path.join(ROOT, 'scenarios', 'demo', 'start.js'), '--port', '0', '--worker-port', '0'])
  t.after(async () => {
    const closed = once(demo, 'close')
    demo.kill('SIGINT')
    await closed
  })
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (/** @type {Buffer} */ data) => {
      text += data
      const [, shop] = /^ {2}agent {3}live page: (http:\S+\/)$/m.exec(text) ?? []
      const [, worker] = /queue worker .*live page: (http:\S+)/.exec(text) ?? []
      if (shop !== undefined && worker !== undefined) resolve([shop, worker])
    }
    demo.stdout.on('data', read)
    demo.stderr.on('data', read)
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${text}`)))
  })
}

function startBrowser () {
  const { chromium } = require('playwright-core')
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
}

/** @param {string} url of the shop's page */
async function takePage (url) {
  const browser = await startBrowser()
  for (const { name, width, height, colorScheme } of PICTURES) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(url)
    await page.locator('.now.blocked code').first().waitFor()
    fs.writeFileSync(path.join(IMAGES, name), await page.screenshot())
    remember(name)
    await context.close()
  }
  await browser.close()
}

/** @param {string} prometheus its address @param {number} minutes @param {string[]} names */
function draw (prometheus, minutes, names) {
  const args = [path.join(PREVIEW, 'make.js'), prometheus, `${minutes}`, '1', ...names]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('the dashboards could not be drawn')
}

/** A cluster that blocks now and then, and loses a worker each minute. */
async function startCluster () {
  const cluster = await startObserved(t, 3)
  const gone = new Set()
  const living = () => cluster.servers().filter(({ pid }) => !gone.has(pid))
  t.after(startTraffic(() => living().map(({ port }) => port), ROUTES))
  const blocks = ['?ms=120', '?sleep=200', '?job=90', '?ms=60', '?thread=400']
  let turn = 0
  const timer = setInterval(() => {
    const [{ pid, port }] = living()
    ask(port, ROUTES[turn % ROUTES.length], blocks[turn % blocks.length])
      .then((response) => response.text()).catch(() => {})
    if (++turn % 12 !== 0) return
    gone.add(pid)
    process.kill(pid, 'SIGKILL')
    cluster.fork().catch(() => {})
  }, MS_PER_MINUTE / 12)
  t.after(() => clearInterval(timer))
  return cluster.url
}

async function takeScenarios () {
  const port = await freePort()
  const prometheus = await startPrometheus(t, { scenarios: `127.0.0.1:${port}` }, ['--query.lookback-delta=5s'])
  const startMs = Date.now()
  const names = ['offload', 'goroutines', 'hook-calls']
  const run = spawn(process.execPath, [MAIN, 'scenario', ...names, '--quick', '--port', port], { stdio: 'inherit' })
  const [code] = await once(run, 'close')
  if (code !== 0) throw new Error(`the scenarios ended with ${code}`)
  draw(prometheus.url, (Date.now() - startMs) / MS_PER_MINUTE, ['scenarios'])
}

async function end () {
  for (const each of ends.splice(0)) await each()
}

/** @param {string[]} wanted */
async function main (wanted) {
  const isWanted = (/** @type {string} */ part) => wanted.length === 0 || wanted.includes(part)
  for (const tool of ['chromium', ...isWanted('dashboards') ? ['prometheus', 'go', 'cargo'] : []]) {
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) throw new Error(`there is no ${tool} on the PATH`)
  }
  installFor('test')
  if (isWanted('dashboards') && !fs.existsSync(path.join(PREVIEW, 'node_modules'))) {
    const install = ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    const { status } = spawnSync('npm', install, { cwd: PREVIEW, stdio: 'inherit' })
    if (status !== 0) throw new Error('npm install in grafana/preview failed')
  }
  try {
    if (isWanted('film')) {
      const browser = await startBrowser()
      await takeFilm(browser, t)
      await browser.close()
    }
    if (!isWanted('page') && !isWanted('dashboards')) return
    const [shop, worker] = await startDemo()
    await sleep(WARM_UP_MS)
    if (isWanted('page')) await takePage(shop)
    if (!isWanted('dashboards')) return
    const targets = { shop, worker, cluster: await startCluster() }
    const hosts = Object.entries(targets).map(([job, url]) => [job, new URL(url).host])
    const prometheus = await startPrometheus(t, Object.fromEntries(hosts))
    await sleep(DASHBOARD_MINUTES * MS_PER_MINUTE)
    draw(prometheus.url, DASHBOARD_MINUTES, ['overview', 'blocks', 'cluster'])
    await end()
    await takeScenarios()
  } finally {
    await end()
  }
}

main(process.argv.slice(2))
