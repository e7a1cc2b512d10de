'use strict'

// Whether the live page and the agent behind it stay flat: two pages open on a process that blocks once a
// second. Needs Debian's chromium. node scenarios/overhead/checks/pages.js [minutes]
const { spawnSync } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { chromium } = require('playwright-core')
const minutes = Number(process.argv[2] ?? 60)

const MB = 1024 * 1024
const agent = require('../../../lib').start({ port: 0, log: false })

/** @param {number} ms */
function hold (ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Memory of one page after a garbage collection. @param {any} session of the DevTools protocol */
async function pageState (session) {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const valueOf = (/** @type {string} */ wanted) =>
    metrics.find((/** @type {any} */ { name }) => name === wanted)?.value ?? NaN
  return `${(valueOf('JSHeapUsedSize') / MB).toFixed(1)} MB, ${valueOf('Nodes')} nodes, ${valueOf('JSEventListeners')} listeners`
}

async function main () {
  const { url } = await agent.ready
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic'] })
  const sessions = []
  for (let i = 0; i < 2; i++) {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${url}/`)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    sessions.push(session)
  }
  const every = setInterval(hold, 1000, 100)
  const startMs = performance.now()
  for (let i = 0; i <= 10; i++) {
    await sleep(Math.max(0, startMs + i * minutes * 6000 - performance.now()))
    const pages = await Promise.all(sessions.map(pageState))
    const blocks = (await agent.metrics()).match(/^loopwatch_block_duration_seconds_count\S* (\d+)$/m)?.[1] ?? 0
    console.log(`${(i * minutes / 10).toFixed(1).padStart(5)} min  ${blocks} blocks  process ${(process.memoryUsage.rss() / MB).toFixed(1)} MB  pages ${pages.join(' | ')}`)
  }
  clearInterval(every)
  await browser.close()
  await agent.stop()
}

main()
