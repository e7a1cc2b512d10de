'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { causes } = require('../../../lib/tables/causes')
const { conclusion, diagnosisReport, inWords } = require('../../../lib/cli/diagnose/report')
const { diagnosisMarkdown } = require('../../../lib/cli/diagnose/markdown')
const { judge } = require('../../../lib/cli/diagnose/judge')
const { compareRuns, compareTicks, readSecondRun, withLines } = require('../../../lib/cli/diagnose/second-run')
const { readMetrics, utilizationOf } = require('../../../lib/cli/diagnose/latency')
const { applyLoad, faultInWords, loadInWords } = require('../../../lib/cli/profile/load')
const { makeDir } = require('../../support/files')
const { makeMetrics } = require('../../support/metrics')
const { makeRecord } = require('../../support/record')

let ids = 0
/** @param {import('../../../lib/tables/causes').Cause} cause @param {number} durationMs @param {string} [name] */
const block = (cause, durationMs, name = 'report') => makeRecord({ id: `1-${++ids}`, cause, durationMs, frame: { function: name, file: '/srv/app/report.js', line: 41, column: 13, exact: true } })
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
  assert.deepEqual(verdict({ blocks: [makeRecord({ durationMs: 5000, startup: true }), makeRecord({ id: '1-0', durationMs: 5000, threadId: 3 })] }), [null, null])
  assert.deepEqual(verdict({ blocks: [block('many', 900)] }), ['flame', 'js'], 'many requests, one function')
  assert.deepEqual(verdict({ blocks: ['a', 'b', 'c'].map((name) => block('many', 300, name)) }), ['flame', 'many'])
})

test('blocks of one function are one line of the report', () => {
  const { sites, blockedMs } = judge({ ...calm, blocks: [block('js', 300), block('many', 500), block('js', 100, 'other')] })
  assert.deepEqual(
    sites.map(({ place, cause, count, blockedMs, longestMs, routes }) => [
      place,
      cause,
      count,
      blockedMs,
      longestMs,
      routes.join()
    ]),
    [
      ['report (app/report.js:41)', 'many', 2, 800, 500, 'GET /report/:id'],
      ['other (app/report.js:41)', 'js', 1, 100, 100, 'GET /report/:id']
    ]
  )
  assert.equal(blockedMs, 900)
})

test('a place is the line that most of the time was in, and one that is certain before one in doubt', () => {
  const at = (/** @type {number} */ durationMs, /** @type {number} */ line, /** @type {boolean} */ exact) => ({ ...block('native', durationMs), frame: { function: 'report', file: '/srv/app/report.js', line, column: 1, exact } })
  const placeOf = (/** @type {ReturnType<typeof block>[]} */ blocks) => judge({ ...calm, blocks }).sites[0].place
  assert.equal(placeOf([at(200, 42, true), at(300, 41, true), at(900, 43, false)]), 'report (app/report.js:41)')
  assert.equal(placeOf([at(200, 42, false)]), '≈ report (app/report.js:42)')
})

const FILE = '/srv/app/report.js'
const SOURCE = ['function report (text) {', '  const rows = JSON.parse(text)', '  return total(rows)', '}', 'function total (rows) {', '  return rows.length', '}']

/**
 * A second run of ten seconds, sampled each 10 ms: `report` in its own lines, what it calls, and the idle loop.
 * @param {Record<number, number>} ticks
 * @param {number} calls
 */
function secondRun (ticks, calls) {
  const frame = (/** @type {string} */ functionName, /** @type {number} */ line) => ({ functionName, scriptId: '1', url: line < 0 ? '' : `file://${FILE}`, lineNumber: line, columnNumber: line < 0 ? -1 : 16 })
  const own = Object.values(ticks).reduce((sum, count) => sum + count, 0)
  const samples = [...Array(own).fill(2), ...Array(calls).fill(3), ...Array(1000 - own - calls).fill(4)]
  return {
    nodes: [
      { id: 1, callFrame: frame('(root)', -1), children: [2, 4] },
      { id: 2, callFrame: frame('report', 0), hitCount: own, children: [3], positionTicks: Object.entries(ticks).map(([line, count]) => ({ line: Number(line), ticks: count })) },
      { id: 3, callFrame: frame('total', 4), hitCount: calls, positionTicks: [{ line: 6, ticks: calls }] },
      { id: 4, callFrame: frame('(idle)', -1), hitCount: 1000 - own - calls }
    ],
    startTime: 0,
    endTime: 1e7,
    samples,
    timeDeltas: samples.map(() => 1e4)
  }
}

test('a line that the CPU profile of the second run contradicts becomes its own, and that is said', () => {
  const sitesOf = (/** @type {number} */ line, /** @type {boolean} */ exact) => judge({ ...calm, blocks: [{ ...block('native', 5000), frame: { function: 'report', file: FILE, line, column: 1, exact } }] }).sites
  const compare = (/** @type {any} */ sites, /** @type {any} */ profile) =>
    compareRuns(sites, 10000, profile, () => SOURCE)
  const doubted = compare(sitesOf(3, false), secondRun({ 2: 480, 3: 20, 139: 30 }, 10))
  assert.deepEqual([doubted.sites[0].place, doubted.sites[0].exact], ['report (app/report.js:2)', true])
  assert.deepEqual(doubted.notes, ['The second run agrees: report (app/report.js:2) took 54 % of it.', 'The line was in doubt in the first run; by the CPU profile of the second it is report (app/report.js:2).'])
  assert.deepEqual(compare(sitesOf(3, true), secondRun({ 2: 500 }, 0)).notes, ['The two runs disagree about the line: by the first it is report (app/report.js:3), by most samples of the second line 2.'])
  assert.deepEqual(compare(sitesOf(2, false), secondRun({ 2: 500 }, 0)), { sites: [{ ...sitesOf(2, false)[0], exact: true, place: 'report (app/report.js:2)' }], notes: ['The second run agrees: report (app/report.js:2) took 50 % of it.'] })
  // Of a call into another function a profile has no line.
  assert.deepEqual(compare(sitesOf(3, true), secondRun({ 2: 20 }, 480)), { sites: sitesOf(3, true), notes: ['The second run agrees: report (app/report.js:3) took 50 % of it.'] })
})

test('a line in doubt keeps its mark where the second run agrees about the function alone', () => {
  const { sites } = judge({ ...calm, blocks: [{ ...block('native', 5000), frame: { function: 'report', file: FILE, line: 3, column: 1, exact: false } }] })
  assert.deepEqual(compareRuns(sites, 10000, secondRun({ 2: 20 }, 480), () => SOURCE).notes, ['The second run agrees: ≈ report (app/report.js:3) took 50 % of it.'])
})

/** As flame and 0x have a function. @param {string} name @param {number} func @param {number[]} [fns] inlined */
const ticked = (name, func, fns = []) => ({ name: `${name} file://${FILE}:1:17`, type: 'JS', func, source: { fns } })
const NO_LINES = 'The samples of flame have no line numbers: lines come from the first run, and ≈ marks unconfirmed ones.'

test('samples without lines confirm or contradict the function, and never a line', () => {
  const { sites } = judge({ ...calm, blocks: [block('js', 5000)] })
  const compare = (/** @type {any[]} */ ticks, of = sites) => compareTicks(of, 10000, 'flame', ticks)
  const serve = { name: 'serve node:http:2:1', type: 'JS', func: 1 }
  const native = { name: '/usr/lib/libc.so.6', type: 'SHARED_LIB' }
  const report = [serve, ticked('report', 2), native]
  const other = [serve, ticked('report of', 3)]
  const times = (/** @type {number} */ count, /** @type {any} */ stack) => Array(count).fill(stack)
  assert.deepEqual(compare([...times(60, report), ...times(30, other), ...times(10, [])]), { sites, notes: ['The second run agrees: report (app/report.js) had 60 % of its samples.', NO_LINES] })
  const dispute = 'The two runs disagree: report (app/report.js) blocked for 50 % of the first one and had 10 % of the samples of the second, where report of (app/report.js) had most, 80 %.'
  const hardly = [...times(10, report), ...times(80, other), ...times(10, [])]
  assert.deepEqual(compare(hardly).notes, [dispute, NO_LINES])
  assert.deepEqual(compare([...hardly, [ticked('report of', 3, [2])]]).notes, [NO_LINES], 'compiled into its caller it is not named')
  assert.deepEqual(compare(times(9, other)).notes, [NO_LINES], 'nothing is known of it')
  const asleep = judge({ ...calm, blocks: [block('sync-io', 5000)] })
  assert.deepEqual(compare(hardly, asleep.sites).notes, [NO_LINES], 'what sleeps has no sample')
  assert.deepEqual(compare(hardly, []).notes, [])
})

test('what flame or 0x left is read where it can be, and no report fails by it', (t) => {
  const dir = makeDir(t)
  const { sites } = judge({ ...calm, blocks: [block('js', 5000)] })
  assert.equal(readSecondRun('flame', dir), null, 'nothing')
  const file = path.join(dir, '7.clinic-flame', '7.clinic-flame-samples')
  fs.mkdirSync(path.dirname(file))
  for (const text of ['[[', '[]', '{}', '[1]']) {
    fs.writeFileSync(file, text)
    assert.equal(readSecondRun('flame', dir), null, text)
  }
  fs.writeFileSync(file, JSON.stringify([[ticked('report', 2)]]))
  const agrees = /^The second run agrees: report \(app\/report\.js\) had 100 % of its samples\.$/
  assert.match(readSecondRun('flame', dir)?.(sites, 10000).notes[0] ?? '', agrees)
  fs.renameSync(file, path.join(dir, 'ticks.json'))
  assert.match(readSecondRun('0x', dir)?.(sites, 10000).notes[0] ?? '', agrees)
  assert.equal(readSecondRun('bubbleprof', dir), null)
})

test('a culprit that the second run hardly met is said to be one of the first alone, but not where a profile knows it by another name', () => {
  const { sites } = judge({ ...calm, blocks: [block('js', 5000)] })
  assert.equal(compareRuns(sites, 10000, secondRun({ 2: 100 }, 0), () => SOURCE).notes[0], 'The two runs disagree: report (app/report.js:41) blocked for 50 % of the first one and took 10 % of the second.')
  assert.deepEqual(compareRuns(sites.map((site) => ({ ...site, file: '/srv/src/report.ts' })), 10000, secondRun({ 2: 100 }, 0), () => SOURCE).notes, [])
})

test('where two runs disagree the report says so first, with who had the second one', () => {
  const verdict = judge({ ...calm, blocks: [block('js', 5000)] })
  const { sites, notes } = compareRuns(verdict.sites, 10000, secondRun({ 2: 20 }, 480), () => SOURCE)
  assert.deepEqual(notes, ['The second run agrees: report (app/report.js:41) took 50 % of it.'], 'with what it calls')
  const other = secondRun({ 2: 100 }, 0)
  other.nodes.push({ id: 5, callFrame: { functionName: 'other', scriptId: '2', url: 'file:///srv/app/other.js', lineNumber: 3, columnNumber: 0 }, hitCount: 600 })
  other.samples.fill(5, 200, 800)
  const { notes: [dispute, ofLine] } = compareRuns(verdict.sites, 10000, other, () => SOURCE)
  assert.equal(dispute, 'The two runs disagree: report (app/report.js:41) blocked for 50 % of the first one and took 10 % of the second, where other (app/other.js) took most, 60 %.')
  assert.match(ofLine, /^The two runs disagree about the line: by the first it is report \(app\/report\.js:41\), by most samples of the second line 2\.$/)
  const told = conclusion({ ...verdict, sites }, 10000, null, ['Something else.', dispute])
  assert.deepEqual(told, [dispute, inWords(verdict, 10000, null), 'Something else.'])
  assert.match(reportOf({ verdict, notes: ['Something else.', dispute] }), /<p class="now blocked">The two runs disagree: report/)
  assert.deepEqual(conclusion(verdict, 10000, null, notes), [inWords(verdict, 10000, null), ...notes])
})

/** @param {Partial<Parameters<typeof diagnosisReport>[0]>} found */
const reportOf = (found) => diagnosisReport({
  command: 'node app.js', durationMs: 10000, verdict: judge({ ...calm, blocks: [] }), latencies: [], load: null, tool: null, tree: { name: 'all', file: null, value: 0, children: [] }, ...found
})

test('the flame graph has the lines that are told', () => {
  const { sites } = judge({ ...calm, blocks: [block('native', 5000)] })
  const node = (/** @type {string} */ name, /** @type {any[]} */ children) => ({ name, file: FILE, value: 1, children })
  const tree = node('serve app/report.js:9', [{ ...node('report app/report.js:42', [node('report app/report.js:7', [])]), value: 2 }, { ...node('report app/report.js:42', []), file: '/srv/lib/app/report.js' }])
  withLines(tree, [{ ...sites[0], exact: false }])
  assert.equal(tree.children[0].name, 'report app/report.js:42', 'a line in doubt corrects no other')
  withLines(tree, compareRuns(sites, 10000, secondRun({ 2: 500 }, 0), () => SOURCE).sites)
  assert.deepEqual(tree.children.map(({ name, children }) => [name, ...children.map((/** @type {any} */ each) => each.name)]), [['report app/report.js:2', 'report app/report.js:7'], ['report app/report.js:42']])
})

test('a report has its causes in words, whole counts, and its data as JSON to download', () => {
  const load = { requests: 9, failed: 3, refused: 1, statuses: new Map([[500, 1]]), timedOut: 2, p50Ms: 1, p99Ms: 2 }
  const verdict = judge({ ...calm, blocks: [block('js', 900), block('gc', 500, 'other'), block('native', 300, 'third')] })
  const html = reportOf({ verdict, load, latencies: [{ route: '/a', requests: 4, meanMs: 200, waitedMs: 100 }] })
  for (const cause of /** @type {const} */ (['js', 'gc', 'native'])) assert.ok(html.includes(`<dt><b>${cause}</b></dt><dd>${causes[cause].meaning}</dd>`), cause)
  assert.ok(!html.includes('<b>starved</b>'), 'which nothing of it was')
  assert.match(html, /<h2>What to try: js<\/h2><p>JavaScript of the .*<li>Look at the named line first: .*<code>Map<\/code>.*<h2>What to try: gc/s)
  assert.match(html, /<td class="figure">900 ms<\/td><td class="figure">1<\/td>/)
  assert.match(html, /<td>\/a<\/td><td class="figure">4<\/td>/)
  const [, name, data] = /** @type {RegExpExecArray} */ (/<a download="([^"]+)" href="data:application\/json;base64,([^"]+)">/.exec(html))
  const told = JSON.parse(Buffer.from(data, 'base64').toString())
  assert.deepEqual([name, told.command, told.verdict, told.load.statuses, told.told], ['diagnosis.json', 'node app.js', verdict, { 500: 1 }, [inWords(verdict, 10000, load)]])
  assert.match(reportOf({}), /download="diagnosis\.json"/)
})

test('a cause is what blocked most only where it is more than half', () => {
  const words = (/** @type {number} */ gc) => inWords(judge({ ...calm, blocks: [block('js', 500), block('gc', gc, 'other'), block('native', 300, 'third')] }), 10000, null)
  assert.match(words(100), /, mostly because: JavaScript/)
  assert.match(words(490), /, for several reasons, the largest of them: JavaScript/)
})

test('a long run is judged by its counters, its places by the records that are left', () => {
  const verdict = judge({ ...calm, durationMs: 3600e3, blocks: [block('js', 300), block('gc', 100, 'other')], totals: new Map([['js', { ms: 500e3, count: 5000 }], ['gc', { ms: 20e3, count: 200 }]]) })
  assert.deepEqual([verdict.cause, verdict.blockedMs, verdict.count, verdict.known, verdict.knownMs], ['js', 520e3, 5200, 2, 400])
  assert.match(inWords(verdict, 3600e3, null), /blocked for 520\.0 s of 3600\.0 s \(14 %\).* 75 % of what the 2 blocks took whose place is known, of 5200, is report/)
  assert.match(inWords(judge({ ...calm, blocks: [], totals: new Map([['js', { ms: 5000, count: 50 }]]) }), 10000, null), /^The event loop was blocked for 5\.0 s/)
})

test('what was over before the application listened is no burden, however long the run', () => {
  const start = { ...block('js', 900), startedAt: '2026-11-21T10:00:00.000Z' }
  const sinceMs = Date.UTC(2026, 10, 21, 10, 0, 1)
  const totals = new Map([['js', { ms: 1000, count: 3 }]])
  const later = { ...block('js', 100), startedAt: '2026-11-21T10:00:02.000Z', startup: true }
  const { blockedMs, count, sites: [site] } = judge({ ...calm, early: [start], blocks: [later], totals, sinceMs })
  assert.deepEqual([blockedMs, count, site.count], [100, 2, 1], 'of three that have ended one was before; of two one is in memory')
  assert.equal(judge({ ...calm, early: [{ ...start, startup: true }], blocks: [], totals: new Map([['js', { ms: 900, count: 1 }]]) }).blockedMs, 0, 'without a port: by its mark')
  assert.equal(judge({ ...calm, blocks: [{ ...start, ongoing: true }], sinceMs }).blockedMs, 900, 'it lasts')
})

test('latency by route, utilization and the blocks of the whole run are read from the metrics', async () => {
  const { latencies, loop } = readMetrics(`# HELP x
loopwatch_eventloop_time_seconds_total{thread="main",state="active"} 3
loopwatch_eventloop_time_seconds_total{thread="main",state="idle"} 1
loopwatch_eventloop_time_seconds_total{thread="pool",state="idle"} 100
loopwatch_http_request_duration_seconds_count{method="GET",route="/a",status_class="2xx"} 3
loopwatch_http_request_duration_seconds_count{method="POST",route="/a",status_class="2xx"} 1
loopwatch_http_request_duration_seconds_sum{method="GET",route="/a",status_class="2xx"} 0.8
loopwatch_http_request_blocked_seconds_sum{route="/a"} 0.4
`)
  assert.deepEqual(latencies, [{ route: '/a', requests: 4, meanMs: 200, waitedMs: 100 }])
  assert.deepEqual(
    [utilizationOf(loop), utilizationOf(loop, { active: 2.5, idle: 0.5 }), utilizationOf(loop, loop)],
    [0.75, 0.5, null]
  )
  const { metrics } = makeMetrics()
  for (const each of [block('js', 100), block('js', 150), block('gc', 60), { ...block('js', 5000), thread: 'pool', threadId: 2 }]) metrics.observeBlock(each)
  const { totals } = readMetrics(await metrics.render())
  assert.deepEqual([...totals].filter(([, { count }]) => count > 0).map(([cause, { ms, count }]) => [cause, Math.round(ms), count]), [['js', 250, 2], ['gc', 60, 1]])
})

test('requests that are not answered in time count as long as they were waited for', async (t) => {
  const server = http.createServer(({ url }, response) => { if (url === '/') response.end() }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { fetch } = globalThis
  let asked = 0
  // Every other request gets no answer, the rest has all the time that it needs.
  /** @param {string} url @param {RequestInit} options */
  const every = (url, options) => asked++ % 2 === 0 ? fetch(url) : fetch(`${url}silent`, options)
  t.mock.method(globalThis, 'fetch', every)
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const load = await applyLoad(`http://127.0.0.1:${port}/`, Infinity, () => asked >= 40, 100)
  const { requests, failed, timedOut, p99Ms } = load
  const half = Math.floor(asked / 2)
  assert.deepEqual({ requests, failed, timedOut }, { requests: asked, failed: half, timedOut: half })
  assert.ok(p99Ms >= 100, `${p99Ms}`)
  assert.match(loadInWords({ requests: 9, failed: 3, refused: 1, statuses: new Map([[500, 1], [404, 1]]), timedOut: 2, p50Ms: 1, p99Ms: 2 }), /^9 requests, 3 failed \(2 of them not answered within 10 s\), 1 refused, p50 1\.0 ms, p99 2\.0 ms$/)
})

test('an application that serves hardly any request is said to, by what it answers most', async (t) => {
  const server = http.createServer((request, response) => {
    response.statusCode = Number(request.url?.slice(1))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const load = (/** @type {string} */ path, at = port) => {
    let asked = 0
    return applyLoad(`http://127.0.0.1:${at}${path}`, Infinity, () => asked++ >= 20)
  }
  const [served, refused, failed, gone] = [await load('/200'), await load('/404'), await load('/500'), await load('/', 1)]
  assert.deepEqual([served, refused, failed, gone].map(({ requests }) => requests), [20, 20, 20, 20])
  assert.deepEqual([served.failed, served.refused, faultInWords(served)], [0, 0, null])
  assert.deepEqual([refused.failed, refused.refused], [0, refused.requests])
  assert.match(loadInWords(refused), /, 0 failed, (\d+) refused, .*; the application answered 404 to \1 of \1 requests \(is the path right, /)
  assert.deepEqual([failed.failed, failed.refused], [failed.requests, 0])
  assert.match(loadInWords(failed), /^(\d+) requests, \1 failed, 0 refused, .*; the application answered 500 to \1 of \1 requests /)
  assert.match(loadInWords(gone), /; the application did not answer (\d+) of \1 requests$/)
  assert.equal(faultInWords({ ...served, requests: 10, failed: 5, statuses: new Map([[500, 5]]) }), null, 'half of them')
  const calmWords = inWords(judge({ blocks: [], ...calm }), 10000, refused)
  assert.match(calmWords, /^Nothing is wrong with the event loop: .*\. In this run the application answered 404 to (\d+) of \1 requests \(.*\)\.$/)
})

test('a diagnosis as Markdown, in which the names of an application stay names', () => {
  const site = { place: '`<b>` (app.js:1)', name: '<b>', file: '/app.js', line: 1, exact: true, cause: /** @type {const} */ ('js'), blockedMs: 1500, count: 3, longestMs: 600, routes: ['GET /a|b'] }
  /** @type {any} */
  const latency = { route: 'GET /a|b', requests: 30, meanMs: 80, waitedMs: 50 }
  const text = diagnosisMarkdown({ command: 'node app_1.js', told: ['It was blocked.'], sites: [site], latencies: [latency] })
  assert.equal(text, [
    '## Diagnosis of node app\\_1.js', '', 'It was blocked.', '',
    '| place | work | cause | blocks | total | longest |', '| --- | --- | --- | --: | --: | --: |',
    '| \\`\\<b\\>\\` (app.js:1) | GET /a\\|b | js | 3 | 1.5 s | 600 ms |', '',
    '| route | requests | mean duration | of which waiting for others |', '| --- | --: | --: | --: |',
    '| GET /a\\|b | 30 | 80 ms | 50 ms |', ''
  ].join('\n'))
  assert.equal(diagnosisMarkdown({ command: 'node a.js', told: ['Nothing.'], sites: [], latencies: [] }), '## Diagnosis of node a.js\n\nNothing.\n')
})
