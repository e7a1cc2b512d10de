'use strict'

// Pictures of the committed dashboards with the data of a running Prometheus:
//   npm install --prefix grafana/preview --no-package-lock --ignore-scripts
//   node grafana/preview/make.js http://127.0.0.1:9090 [minutes [seconds between scrapes [dashboards]]]
// as `npm run pictures` does.
// @grafana/ui draws charts, numbers and tables in Debian's chromium. Only Grafana itself contains its heatmap, so
// heatmap.mjs replaces it. Marks of blocks over the charts are missing. pngquant halves the size of the files.
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { build } = require('esbuild')
const { dashboards, interpolate } = require('../../test/support/grafana')
const { IMAGES, remember } = require('../../test/support/pictures')

/** A package of the tests. @type {typeof import('playwright-core')} */
const { chromium } = require(require.resolve('playwright-core', { paths: [path.join(__dirname, '..', '..', 'test')] }))

const [prometheus, minutes = '10', scrape = '5', ...only] = process.argv.slice(2)
const ADDRESS = 'http://dashboards.invalid'
const WIDTH = 1280
/** A panel of half this width has enough pixels for this number of points. */
const POINTS = 300
/** The height of each picture: the first rows of the dashboard, which show its purpose. */
const HEIGHTS = { overview: 1180, blocks: 1240, cluster: 1250, scenarios: 1526 }

const scrapeS = Number(scrape)
const rangeS = Number(minutes) * 60
const endS = Math.floor(Date.now() / 1000)
const stepS = Math.max(scrapeS, Math.ceil(rangeS / POINTS))

/** @param {any} target @param {any[]} variables */
async function ask ({ expr, instant, legendFormat, refId }, variables) {
  const query = interpolate(expr, { variables, stepS, scrapeS, rangeS })
  const parameters = instant ? { query, time: endS } : { query, start: endS - rangeS, end: endS, step: stepS }
  const response = await fetch(`${prometheus}/api/v1/query${instant ? '' : '_range'}`, { method: 'POST', body: new URLSearchParams(/** @type {any} */ (parameters)) })
  const { data, error } = /** @type {any} */ (await response.json())
  if (error) throw new Error(`${query}: ${error}`)
  return { refId, legendFormat, instant, result: data.result }
}

async function main () {
  if (!prometheus) throw new Error('which Prometheus? node grafana/preview/make.js http://127.0.0.1:9090')
  const { outputFiles } = await build({
    entryPoints: [path.join(__dirname, 'page.mjs')],
    bundle: true,
    write: false,
    outdir: 'nowhere',
    // An import of their CommonJS packages gets the whole module as its default.
    alias: Object.fromEntries(['data', 'ui'].map((name) => [`@grafana/${name}`, require.resolve(`@grafana/${name}`)])),
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    loader: { '.ttf': 'empty', '.woff': 'empty', '.woff2': 'empty', '.svg': 'text' },
    logLevel: 'error'
  })
  const textOf = (/** @type {string} */ extension) => outputFiles.find((file) => file.path.endsWith(extension))?.text ?? ''
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic'] })
  try {
    for (const [name, dashboard] of dashboards()) {
      if (only.length > 0 && !only.includes(name)) continue
      const panels = await Promise.all(
        dashboard.panels.map(async (/** @type {any} */ panel) => ({
          ...panel,
          answers: await Promise.all(
            (panel.targets ?? []).map((/** @type {any} */ target) => ask(target, dashboard.templating.list))
          )
        }))
      )
      const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 }, locale: 'en-GB' })
      page.on('pageerror', (/** @type {Error} */ error) => process.stderr.write(`${name}: ${error.message}\n`))
      // The components need storage, which a page without an address does not have.
      await page.route(`${ADDRESS}/**`, (/** @type {any} */ route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body style="margin:0"><div id="root"></div>' }))
      await page.goto(ADDRESS)
      await page.evaluate(
        (/** @type {unknown} */ view) => {
          ;/** @type {any} */ (globalThis).view = view
        },
        {
          title: dashboard.title,
          panels,
          width: WIDTH,
          fromMs: (endS - rangeS) * 1000,
          toMs: endS * 1000,
          stepMs: stepS * 1000
        }
      )
      await page.addStyleTag({ content: textOf('.css') })
      await page.addScriptTag({ content: textOf('.js') })
      await page.waitForSelector('#root .done', { state: 'attached' })
      await page.setViewportSize({ width: WIDTH, height: HEIGHTS[/** @type {'overview'} */ (name)] })
      const file = path.join(IMAGES, `dashboard-${name}.png`)
      await page.screenshot({ path: file })
      spawnSync('pngquant', ['--force', '--ext', '.png', '--strip', file])
      remember(path.basename(file))
      await page.close()
    }
  } finally {
    await browser.close()
  }
}

main()
