'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { causes } = require('../lib/causes')
const { ADVICE } = require('../lib/tools/diagnose/diagnosis-report')
const { judge } = require('../lib/tools/diagnose/judge')
const { readMetrics } = require('../lib/tools/diagnose/latency')
const { eventually, startNode, FIXTURES } = require('./support/app')
const { openPage, startBrowser } = require('./support/browser')
const { makeDir } = require('./support/files')
const { makeRecord } = require('./support/record')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')

/** @param {import('../lib/causes').Cause} cause @param {number} durationMs @param {string} [name] */
const block = (cause, durationMs, name = 'report') => makeRecord({ cause, durationMs, frame: { function: name, file: '/srv/app/report.js', line: 41, column: 13, exact: true } })
const calm = { durationMs: 10000, utilization: 0.1, p50Ms: 5 }

test('the tool follows from what blocks most', () => {
  const verdict = (/** @type {Partial<Parameters<typeof judge>[0]>} */ evidence) => {
    const { tool, cause } = judge({ blocks: [], ...calm, ...evidence })
    return [tool, cause]
  }
  assert.deepEqual(verdict({ blocks: [block('js', 900), block('gc', 500)] }), ['flame', 'js'])
  assert.deepEqual(verdict({ blocks: [block('js', 400), block('gc', 500)] }), ['heapprofiler', 'gc'])
  assert.deepEqual(verdict({ blocks: [block('starved', 800), block('js', 60)] }), [null, 'starved'])
  assert.deepEqual(verdict({ p50Ms: 300 }), ['bubbleprof', 'io'], 'slow, and the loop has time')
  assert.deepEqual(verdict({ p50Ms: 300, utilization: 0.95 }), [null, null], 'slow because it works, in short turns')
  assert.deepEqual(verdict({ blocks: [block('js', 100)] }), [null, null], 'a hundredth of the time')
  assert.deepEqual(verdict({ blocks: [makeRecord({ durationMs: 5000, startup: true }), makeRecord({ durationMs: 5000, threadId: 3 })] }), [null, null])
  assert.deepEqual(verdict({ blocks: [block('many', 900)] }), ['flame', 'js'], 'many requests, one function')
  assert.deepEqual(verdict({ blocks: ['a', 'b', 'c'].map((name) => block('many', 300, name)) }), ['flame', 'many'])
})

test('blocks of one function are one line of the report', () => {
  const { sites, blockedMs } = judge({ ...calm, blocks: [block('js', 300), block('many', 500), block('js', 100, 'other')] })
  assert.deepEqual(sites.map(({ place, cause, count, blockedMs, longestMs, routes }) => [place, cause, count, blockedMs, longestMs, routes.join()]), [
    ['report (report.js:41)', 'many', 2, 800, 500, 'GET /report/:id'], ['other (report.js:41)', 'js', 1, 100, 100, 'GET /report/:id']
  ])
  assert.equal(blockedMs, 900)
})

test('latency by route is read from the metrics', () => {
  const { latencies, utilization } = readMetrics(`# HELP x
loopwatch_eventloop_time_seconds_total{thread="main",state="active"} 3
loopwatch_eventloop_time_seconds_total{thread="main",state="idle"} 1
loopwatch_eventloop_time_seconds_total{thread="pool",state="idle"} 100
loopwatch_http_request_duration_seconds_count{method="GET",route="/a",status_class="2xx"} 3
loopwatch_http_request_duration_seconds_count{method="POST",route="/a",status_class="2xx"} 1
loopwatch_http_request_duration_seconds_sum{method="GET",route="/a",status_class="2xx"} 0.8
loopwatch_http_request_blocked_seconds_sum{route="/a"} 0.4
`)
  assert.deepEqual({ latencies, utilization }, { latencies: [{ route: '/a', requests: 4, meanMs: 200, waitedMs: 100 }], utilization: 0.75 })
})

test('there is advice for every cause, and for waiting', () => {
  assert.deepEqual(fs.readdirSync(ADVICE).sort(), [...Object.keys(causes), 'io'].map((name) => `${name}.md`).sort())
})

test('one report says in words what blocks, where, what it costs and what to try', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--no-open', '--tool', 'cpu', '--seconds', '2', '--on-port', '/?ms=90', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd }).closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^The event loop was blocked for .*culprit \(profiled\.js:\d+\), \d+ times, .*in GET \/\.$/m)
  const file = /** @type {RegExpExecArray} */ (/^report: (.*diagnosis\.html)$/m.exec(stdout))[1]
  assert.deepEqual(fs.readdirSync(cwd), ['loopwatch-profiles'])
  const browser = await startBrowser(t)
  if (browser === null) return
  const { page, complaints } = await openPage(browser, pathToFileURL(file).href)
  const text = await eventually(async () => {
    const body = await page.locator('body').innerText()
    return /all/.test(body) && body
  }, 'the report')
  for (const part of [/What blocks, and where/, /What it costs in latency/, /What to try: js/, /worker thread/]) assert.match(text, part)
  await page.getByRole('link', { name: 'The report of cpu' }).click()
  await eventually(async () => /CPU profile of node/.test(await page.locator('body').innerText()), 'the tool\'s report')
  assert.deepEqual(complaints, [])
})

test('a loop that is stuck for good is diagnosed as well, and one that ends at once is told', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const stuck = await startNode(t, [CLI, 'diagnose', '--no-open', '--no-on-port', '--tool', 'none', '--seconds', '2', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd, env: { TEST_MODE: 'stuck' } }).closed
  assert.equal(stuck.code, 0, stuck.stderr)
  assert.match(stuck.stdout, /culprit \(profiled\.js:\d+\), once/)
  const gone = await startNode(t, [CLI, 'diagnose', '--no-open', '--', 'node', '-e', 'process.exit(9)'], { cwd }).closed
  assert.equal(gone.code, 2)
  assert.match(gone.stderr, /ended before its agent could be asked \(exit code 9\).*LOOPWATCH_ERR_NO_REPORT/)
})
