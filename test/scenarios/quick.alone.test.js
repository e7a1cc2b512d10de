'use strict'

// Takes two minutes: every scenario end to end, each with servers, threads or databases of its own.
// What CI runs of the scenarios themselves: all of them with --quick, their documents against the
// schema, and the report in a real browser.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { Ajv } = require('ajv')
const { startBrowser, openPage } = require('../support/browser')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { makeDocument } = require('../support/scenario-document')
const { corpus } = require('../../scenarios/bakeoff/corpus/corpus')
const { summarise } = require('../../scenarios/harness/measure/stats')
const { findScenarios } = require('../../scenarios/harness/registry')
const { renderReport } = require('../../scenarios/harness/report/report')
const schema = require('../../scenarios/harness/schema.json')

const MAIN = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const validate = /** @type {import('ajv').ValidateFunction<any>} */ (new Ajv({ allowUnionTypes: true }).compile(schema))

test('every scenario runs with --quick, is right, and writes what the schema says', async (t) => {
  const dir = makeDir(t)
  const [json, report] = [path.join(dir, 'results.json'), path.join(dir, 'report.html')]
  const scenarios = findScenarios()
  const names = scenarios.map(({ name }) => name)
  const { closed } = startNode(t, [MAIN, 'scenario', ...names, '--quick', '--json', json, '--report', report, '--port', '0'])
  const { code, stdout, stderr } = await closed
  assert.equal(code, 0, `${stdout}${stderr}`)
  const documents = JSON.parse(fs.readFileSync(json, 'utf8'))
  assert.deepEqual(documents.map((/** @type {{ scenario: string }} */ { scenario }) => scenario), names)
  for (const document of documents) {
    assert.ok(validate(document), JSON.stringify(validate.errors))
    assert.ok(document.findings.length > 0, `${document.scenario} found nothing`)
    for (const { variant, oracle, skipped, caller, process, median } of document.cells) {
      assert.ok(oracle === 'passed' || skipped !== null, `${document.scenario} ${variant}`)
      if (skipped !== null) continue
      assert.equal(process[0].role, 'caller')
      // A server in another language has no event loop, and a scenario without an agent says nothing of it.
      const hasLoop = !variant.startsWith('go-') && scenarios.find(({ name }) => name === document.scenario)?.agent !== null
      assert.ok(hasLoop ? caller.delayP99Ms >= caller.delayP50Ms : caller === null, `${document.scenario} ${variant}`)
      if (document.scenario === 'bakeoff' && variant === 'loopwatch') assert.equal(median, 100, 'the agent missed a block')
    }
  }
  const html = fs.readFileSync(report, 'utf8')
  for (const name of names) assert.ok(html.includes(`<h2>${name}</h2>`))
  for (const { scenario, verdict, findings } of documents) {
    assert.match(verdict, /\.$/, scenario)
    for (const sentence of [verdict, ...findings]) assert.doesNotMatch(sentence, /\d\.\d+ (?:requests? with|of them|blocks?|runs?|users?)\b|\b1 (?:blocks|runs|users|repeats)\b/)
  }
  await fits(t, report)
})

/** At 1280 px nothing of a report is wider than the window, and no table wider than its place. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('.scroll')]
  .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent.slice(0, 80))`

/** @param {import('node:test').TestContext} t @param {string} file */
async function fits (t, file) {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { page } = await openPage(browser, pathToFileURL(file).href, { viewport: { width: 1280, height: 900 } })
  assert.deepEqual(await page.evaluate(TOO_WIDE), [])
}

const EXTRAS = ['heldMs', 'startMs', 'sendMs', 'onlineMs', 'blockedAtBlocks', 'blockedAtMaxMs', 'agentStartMs', 'initMs', 'workerWaitMs', 'initCpuMs', 'mainCpuMs',
  'overLeast', 'utilization1', 'utilization2', 'utilization3', 'utilization4', 'busiestShare', 'failed', 'driverWasBottleneck', 'healthP50Ms', 'healthP99Ms',
  'schedP99Micros', 'serverFromMiB', 'serverToMiB', 'lostUpdates', 'p50Ratio', 'p99Ratio', 'cpuRatio', 'rssMb', 'bareRequestsPerSecond', 'falsePositives',
  'blamedInTraps', 'function', 'line', 'lineOfJs', 'request', 'cause', 'certainAndWrong', 'certain line', 'certain request', 'certain cause', 'durationError', 'durationErrorMax', 'whileBlocked', 'firstMs', 'answered', 'cpuPercent', 'p50Ms',
  'p99Ms', 'p999Ms', 'p999Ratio', 'startUpMs', 'startUpRatio', 'wakeUps', 'scriptMs', 'replayedP99Ms', 'replayedHealthP99Ms', 'cloningMs', 'workMs', 'starvedPercent', 'verdict',
  ...corpus.flatMap(({ name }) => [`found:${name}`, `wrong function:${name}`, `wrong line:${name}`])]

/**
 * A run whose cells have every figure that one of the scenario may have.
 * @param {import('../../scenarios/harness/interface').Scenario} scenario
 */
function crowded (scenario) {
  const { environment, cells: [cell] } = makeDocument()
  const figures = summarise([1234.5, 1300, 1400, 1500, 1600])
  const extra = Object.fromEntries(EXTRAS.map((key) => [key, figures]))
  const roles = ['caller', 'server', 'worker thread', 'driver', 'database'].map((role) => ({ role, cpuSeconds: 12.34, peakRssBytes: 234e6 }))
  const figure = { ...summarise([12345, 13000, 14000]), unit: scenario.unit, extra, process: roles }
  const own = { ...cell, ...figure, oversubscribed: true, caller: scenario.agent && cell.caller }
  const plans = scenario.plan({ mode: 'full', options: {}, environment, isListing: true })
  const cells = plans.filter(({ variant }, i) => plans.findIndex((each) => each.variant === variant) === i)
    .map(({ variant, params }) => ({ ...own, variant, params }))
  return { ...makeDocument(), scenario: scenario.name, cells }
}

test('every scenario\'s report fits 1280 px however much its cells say, and its JSON can be downloaded', async (t) => {
  const dir = makeDir(t)
  const scenarios = findScenarios()
  const documents = scenarios.map(crowded)
  const file = path.join(dir, 'report.html')
  fs.writeFileSync(file, await renderReport(documents, scenarios))
  await fits(t, file)
  const browser = await startBrowser(t)
  if (browser === null) return
  const { page, complaints } = await openPage(browser, pathToFileURL(file).href)
  for (const [i, document] of documents.entries()) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download the results as JSON' }).nth(i).click()])
    assert.equal(download.suggestedFilename(), `loopwatch-${document.scenario}.json`)
    assert.deepEqual(JSON.parse(fs.readFileSync(await download.path(), 'utf8')), JSON.parse(JSON.stringify(document)))
  }
  assert.deepEqual(complaints, [])
})

test('the report opens from disk, bright, dark and printed, and loads nothing', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const file = path.join(makeDir(t), 'report.html')
  fs.writeFileSync(file, await renderReport([makeDocument()], findScenarios()))
  const { page, complaints } = await openPage(browser, 'about:blank')
  /** @type {string[]} */
  const asked = []
  page.on('request', (/** @type {any} */ request) => asked.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  assert.deepEqual([asked, complaints], [[pathToFileURL(file).href], []])
  assert.ok(await page.locator('svg rect').count() >= 2)
  const luminance = async () => {
    const colors = await page.evaluate('[document.body, document.querySelector(\'svg text.value\')].map((each, i) => getComputedStyle(each)[i ? \'fill\' : \'backgroundColor\'])')
    return /** @type {string[]} */ (colors).map((color) => (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3)
  }
  for (const [media, colorScheme, isDark] of /** @type {const} */ ([['screen', 'light', false], ['screen', 'dark', true], ['print', 'dark', false]])) {
    await page.emulateMedia({ media, colorScheme })
    const [ground, ink] = await luminance()
    assert.ok(isDark ? ground < 60 && ink > 190 : ground > 220 && ink < 60, `${media} ${colorScheme}: ${ground} and ${ink}`)
  }
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize({ width: 400, height: 800 })
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 400'), 'it scrolls sideways on a phone')
})
