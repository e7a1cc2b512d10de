'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { topTable } = require('../../../../lib/cli/blocks/top')
const { sentenceOf } = require('../../../../lib/util/sentence')
const { rowOf } = require('../../../../lib/watchdog/page-feed/feed')
const { LINKIFY_ISSUE, makeRecord, NEW } = require('../../../support/record')

const MODEL = '../../../../lib/export/page/source/model'
const START = Date.parse('2026-11-21T10:00:00.000Z')
const RANGE = { fromMs: START, toMs: START + 100_000 }

/** A block by its second within the range. @param {number} second @param {any} [differences] @returns {any} */
const at = (second, differences = {}) =>
  makeRecord({ id: `1-${second}`, startedAt: new Date(START + second * 1000).toISOString(), durationMs: 1000, ...differences })
/** @param {string} name @param {number} [line] */
const frame = (name, line = 1) => ({ function: name, file: `/srv/app/${name}.js`, line, column: 1, exact: true })

test('culprits add up blocks of one function in a file, and say who waited', async () => {
  const { culpritsOf, sorted, victimsOf } = await import(`${MODEL}/culprits.mjs`)
  const rows = [at(1), at(50, { durationMs: 3000 }), at(60, { request: null }), at(70, { frame: frame('other'), durationMs: 500 })]
  const culprits = culpritsOf(rows, RANGE, (/** @type {string} */ id) => id === '1-50' ? 4 : 0)
  const told = (/** @type {any} */ { place, work, count, totalMs, longestMs, waited }) =>
    [place, work, count, totalMs, longestMs, waited]
  assert.deepEqual(culprits.map(told), [
    ['report app/report.js:41', 'GET /report/:id, no work', 3, 5000, 3000, 4],
    ['other app/other.js:1', 'GET /report/:id', 1, 500, 500, 0]
  ])
  assert.equal(culprits.reduce((/** @type {number} */ sum, /** @type {any} */ { share }) => sum + share, 0), 1)
  const binned = [...culprits[0].bins.entries()].filter(([, ms]) => ms > 0)
  assert.deepEqual(binned, [[0, 1000], [12, 3000], [14, 1000]])
  assert.equal(sorted(culprits, 'longestMs', false)[0].longestMs, 500)
  assert.equal(sorted(culprits, 'place', false)[0].place, 'other app/other.js:1')
  const ping = { name: 'GET /ping', count: 1, longestMs: 900 }
  const victims = victimsOf(rows, (/** @type {string} */ id) => [id === '1-1' ? { ...ping, count: 3, longestMs: 400 } : ping])
  assert.deepEqual(victims, [{ name: 'GET /ping', count: 6, longestMs: 900, because: 'GET /report/:id' }])
})

test('a culprit whose time grows with the body says so, for blocks of the feed as well', async () => {
  const { culpritsOf } = await import(`${MODEL}/culprits.mjs`)
  const request = { method: 'POST', route: '/report', startedAt: '2026-11-21T10:00:00.000Z', ended: false }
  const blocks = Array.from({ length: 9 }, (_, i) =>
    at(i, { durationMs: 100 * 2 ** i, request: { ...request, bytesIn: 2048 * 2 ** i } }))
  const short = at(20, { durationMs: 50, frame: frame('other'), request: null })
  const growth = '9 blocks: time grows in proportion to the body (25.6 s at 512 kB)'
  for (const make of [(/** @type {any} */ each) => each, rowOf]) {
    const rows = [short, ...blocks.toReversed()].map(make)
    const texts = culpritsOf(rows, RANGE, () => 0).map((/** @type {any} */ culprit) => culprit.growth)
    assert.deepEqual(texts, [growth, ''])
  }
})

test('worker threads are listed by name, the busiest first, whether they live or have blocked', async () => {
  const { threadsOf } = await import(`${MODEL}/culprits.mjs`)
  const ofThread = { thread: 'resize', threadId: 3 }
  const rows = [
    at(1), at(2, { ...ofThread, frame: frame('blur') }), at(3, { ...ofThread, threadId: 4, durationMs: 4000, frame: frame('crop') }),
    at(4, { thread: 'mail', threadId: 5, frame: null, cause: 'native', samples: 0 })
  ]
  const living = [{ name: 'idle', count: 1, utilization: 0.01 }, { name: 'resize', count: 4, utilization: 0.97 }]
  const threads = threadsOf(rows, living, RANGE)
  assert.deepEqual(threads.map((/** @type {any} */ { words, ...each }) => each), [
    { name: 'resize (4)', utilization: 0.97, place: 'crop app/crop.js:1', count: 2, longestMs: 4000 },
    { name: 'idle', utilization: 0.01, place: '–', count: 0, longestMs: 0 },
    { name: 'mail', utilization: null, place: 'inside a native or synchronous call', count: 1, longestMs: 1000 }
  ])
  assert.deepEqual(threadsOf([at(1)], [], RANGE), [])
})

test('a place that is not certain says so, and one that is none says why', async () => {
  const { placeOf } = await import(`${MODEL}/labels.mjs`)
  assert.equal(placeOf(at(1, { frame: { ...frame('f'), exact: false } })), '≈ f app/f.js:1')
  assert.equal(placeOf(at(1, { frame: { ...frame('f'), exact: false, compiled: true } })), '≈ f app/f.js:1', 'a compiler of JavaScript mostly keeps the lines')
  assert.equal(placeOf(at(1, { frame: null, cause: 'starved' })), 'waiting for a CPU')
  assert.equal(placeOf(at(1, { frame: null, cause: 'native', samples: 0 })), 'inside a native or synchronous call')
})

test('a place without a line has the same words on the page, in the log and in tables', async () => {
  const { placeOf } = await import(`${MODEL}/labels.mjs`)
  for (const differences of [{ samples: 2 }, { samples: 0, cause: 'native' }, { samples: 0, cause: 'unknown' }, { samples: 0, threadId: 3 }]) {
    const row = at(1, { frame: null, request: null, ...differences })
    const words = placeOf(row)
    assert.ok(sentenceOf(row).includes(`: ${words}`), `${words}: ${sentenceOf(row)}`)
    assert.ok(topTable([{ ...row, threadId: 0 }]).includes(placeOf({ ...row, threadId: 0 })))
  }
})

test('the verdict says how much, how often, where, and what was not the application\'s', async () => {
  const { verdictOf, comparison, asideNote } = await import(`${MODEL}/verdict.mjs`)
  const more = { thresholdMs: 50, loops: 1 }
  assert.equal(verdictOf([], RANGE, more), 'In 1 min 40 s nothing blocked the loop for 50 ms or longer.')
  assert.equal(verdictOf([at(1, { durationMs: 20000 })], RANGE, more), 'In 1 min 40 s the loop was blocked 20% of the time, once. One function accounts for 100% of it: report app/report.js:41.')
  const spread = [at(1, { frame: frame('a') }), at(2, { frame: frame('b') }), at(3, { frame: frame('c') }), at(4, { frame: frame('d') }), at(5, { cause: 'starved', frame: null })]
  assert.equal(verdictOf(spread, RANGE, more), 'In 1 min 40 s the loop was blocked 5.0% of the time, 5 times. Three functions account for 60% of it: a app/a.js:1, b app/b.js:1, c app/c.js:1. 20% was not your code.')
  const lasting = at(6, { durationMs: 9000, cause: 'starved', ongoing: true })
  assert.doesNotMatch(verdictOf([...spread, lasting], RANGE, more), /accounts? for/, 'a block without a culprit is not a function')
  assert.match(verdictOf(spread, RANGE, { ...more, loops: 3 }), /loops were blocked for 5\.0 s in all, 5 times/)
  const half = START + 50_000
  assert.equal(comparison([at(1), at(60), at(70)], { fromMs: half, toMs: RANGE.toMs }, [START, half]).replace(/ \d.* to .*\):/, ':'), 'Baseline: 2.0% in 1 block; this range 4.0% in 2 blocks.')
  assert.equal(asideNote(spread, false), '4 blocks of 4.0 s below. Not shown: 1 block of 1.0 s is not your code (1 starved).')
  assert.equal(asideNote([at(1)], false), '')
})

test('one function is one row, whatever the line, its certainty and the cause of each block', async () => {
  const { culpritsOf } = await import(`${MODEL}/culprits.mjs`)
  const { verdictOf } = await import(`${MODEL}/verdict.mjs`)
  const doubtful = { ...frame('report', 27), exact: false }
  const request = (/** @type {string} */ route) => ({ method: 'GET', route, startedAt: at(0).startedAt, ended: false })
  const rows = [
    at(1, { frame: frame('report', 26) }), at(2, { frame: doubtful, cause: 'gc' }), at(3, { frame: { ...frame('report', 26), exact: false } }),
    at(4, { frame: frame('report', 40), work: null, request: request('/b') }), at(5, { frame: null, cause: 'native' })
  ]
  const told = culpritsOf(rows, RANGE, () => 0)
    .map((/** @type {any} */ { place, work, cause, count }) => [place, work, cause, count])
  assert.deepEqual(told, [
    ['report app/report.js:26, 40', 'GET /report/:id, GET /b', 'js', 4],
    ['outside application code', 'GET /report/:id', 'native', 1]
  ])
  assert.match(verdictOf(rows, RANGE, { thresholdMs: 50, loops: 1 }), /One function accounts for 80% of it: report app\/report\.js:26\.$/)
  const nameless = [1, 2].map((line) => at(line, { frame: { ...frame('x', line), function: null } }))
  assert.equal(culpritsOf(nameless, RANGE, () => 0).length, 2)
})

test('blocks at startup are the application\'s own code, and no block is counted twice', async () => {
  const { verdictOf, asideNote } = await import(`${MODEL}/verdict.mjs`)
  const rows = [at(1, { startup: true }), at(2, { allowed: 'migration' }), at(3, { cause: 'starved', startup: true }), at(4)]
  const verdict = verdictOf(rows, RANGE, { thresholdMs: 50, loops: 1 })
  assert.match(verdict, /, 4 times\. .*25% was not your code\.$/)
  const kinds = '1 block of 1.0 s at startup; 1 block of 1.0 s allowed; 2 blocks of 2.0 s in worker threads; 1 block of 1.0 s is not your code (1 starved).'
  const all = [...rows, at(5, { threadId: 3 }), at(6, { threadId: 3, startup: true, cause: 'starved' })]
  assert.deepEqual([asideNote(all, false), asideNote(all, true)], [`1 block of 1.0 s below. Not shown: ${kinds}`, `6 blocks of 6.0 s below. Among them: ${kinds}`])
})

test('a block that reaches beyond the range makes the range longer, so that it counts as a whole everywhere', async () => {
  const { sumOf } = await import(`${MODEL}/verdict.mjs`)
  const { blockedMs, lengthMs, share } = sumOf([at(-1, { durationMs: 3000 }), at(99, { durationMs: 9000 })], RANGE)
  assert.deepEqual([blockedMs, lengthMs, share], [12_000, 109_000, 12 / 109])
})

test('a baseline that is a part of the range is compared with what came after it', async () => {
  const { comparison } = await import(`${MODEL}/verdict.mjs`)
  const base = [START, START + 50_000]
  assert.match(comparison([at(1), at(49.5), at(70)], RANGE, base), /: 4\.0% in 2 blocks; since then 2\.0% in 1 block\.$/)
  assert.match(comparison([at(1)], { fromMs: START, toMs: base[1] }, base), /^Baseline .* \(50\.0 s\): 2\.0% in 1 block; since then nothing yet\.$/)
})

test('whatever is chosen goes into the address and comes back from it', async () => {
  const { readAddress, writeAddress, START: start } = await import(`${MODEL}/address.mjs`)
  const views = [{}, { block: '24553-1' }, { range: '10m', span: [5, 900], base: [1, 4], aside: true }]
  views.push(/** @type {any} */ ({ culprit: '["≈ f & g","GET /a#b","js"]', text: 'a b', sort: 'place', ascends: true, cause: 'gc' }))
  for (const view of views) assert.deepEqual(readAddress(writeAddress({ ...start, ...view })), { ...start, ...view })
  assert.equal(writeAddress(start), '')
  assert.equal(writeAddress({ ...start, block: '24553-1' }), '#block=24553-1')
  assert.deepEqual(readAddress('#block=../x&range=__proto__&span=9-1&base=x&sort=constructor&order=7&aside=true'), start)
})

test('blocks are chosen by culprit, cause, text and whose code they are', async () => {
  const { isShown } = require('../../../../lib/export/choose')
  const { windowOf, queryOf, inRange } = await import(`${MODEL}/choose.mjs`)
  const { START: start } = await import(`${MODEL}/address.mjs`)
  const { keyOf } = require('../../../../lib/export/culprits')
  const chosen = (/** @type {any} */ row, /** @type {any} */ view) => isShown(row, { ...start, ...view })
  assert.ok(chosen(at(1), {}) && chosen(at(1), { text: 'REPORT' }) && chosen(at(1), { culprit: keyOf(at(2)) }))
  const works = [{ request: null, work: { kind: 'job', name: 'nightly' }, frame: null, weightMs: 40 }]
  assert.ok(chosen(at(1, /** @type {any} */ ({ works })), { text: 'job nightly' }) && !chosen(at(1), { text: 'job nightly' }))
  assert.ok(chosen(at(1, { change: NEW }), { text: 'new since version' }) && !chosen(at(1), { text: 'new since version' }))
  assert.ok(!chosen(at(1), { text: 'orders' }) && !chosen(at(1), { cause: 'gc' }) && chosen(at(1), { culprit: keyOf(at(1, { cause: 'gc' })) }))
  assert.deepEqual([{}, { ongoing: true }].map((more) => chosen(at(1, { threadId: 3, ...more }), {})), [false, false])
  for (const aside of [{ cause: 'starved' }, { startup: true }, { allowed: 'migration' }]) {
    const row = at(1, aside)
    const lasting = at(1, { ...aside, ongoing: true })
    assert.deepEqual([chosen(row, {}), chosen(row, { aside: true }), chosen(lasting, {})], [false, true, true])
  }
  assert.deepEqual(windowOf({ ...start, range: '1m' }, START + 90_000, START), { fromMs: START + 30_000, toMs: START + 90_000 })
  assert.deepEqual(windowOf(start, START + 90_000, START), { fromMs: START, toMs: START + 90_000 })
  assert.equal(inRange([at(1), at(50)], { fromMs: START + 10_000, toMs: START + 60_000 }).length, 1)
  assert.equal(`${queryOf(start, RANGE)}`, 'aside=0')
  const view = { ...start, span: [1, 2], culprit: '["f","/f.js"]', text: 'a b', cause: 'js', aside: true }
  assert.equal(`${queryOf(view, { fromMs: 1, toMs: 2 })}`, 'from=1&to=2&cause=js&culprit=%5B%22f%22%2C%22%2Ff.js%22%5D&text=a+b')
})

test('the strip names the block in progress, and the tab with it', async () => {
  const { sentenceOf, titleOf, worstOf } = await import(`${MODEL}/strip.mjs`)
  const text = (/** @type {any} */ row, waiting = 0, recorded = '') => sentenceOf(row, waiting, recorded).map((/** @type {any} */ part) => part.text).join('')
  assert.equal(text(at(1, { durationMs: 9500 }), 1), 'Blocked for 9.5 s in GET /report/:id, report app/report.js:41, 1 request waiting.')
  assert.equal(text(at(1, { request: null, frame: { ...frame('f'), exact: false } }), 3), 'Blocked for 1.0 s in ≈ f app/f.js:1, 3 requests waiting.')
  assert.equal(text(at(1, { cause: 'starved', frame: null })), 'Blocked for 1.0 s: the process was kept waiting for a CPU.')
  assert.equal(text(at(1, { worker: 2, frame: null })), 'Worker 2 blocked for 1.0 s in GET /report/:id; the line is not known yet.')
  assert.equal(text(at(1, { durationMs: 9500 }), 1, 'Recorded 14:03:12'), 'The loop was blocked for 9.5 s in GET /report/:id, report app/report.js:41, 1 request waiting.')
  assert.equal(text(at(1, { worker: 2, frame: null }), 0, 'Recorded 14:03:12'), 'Worker 2 was blocked for 1.0 s in GET /report/:id; the line was not known yet.')
  assert.equal(titleOf([at(1)], 'shop'), 'Blocked 1.0 s: shop – loopwatch')
  assert.equal(titleOf([], undefined), 'loopwatch')
  assert.equal(titleOf([at(1)], 'shop', '1.0 s', 'Recorded 14:03:12'), 'Recorded 14:03:12: shop – loopwatch')
  assert.equal(worstOf([at(1, { threadId: 3 }), at(2)]).id, '1-2')
})

test('a culprit has its own part of a block, and waiting for a CPU is a row with what to do, which finds its blocks', async () => {
  const { culpritsOf } = await import(`${MODEL}/culprits.mjs`)
  const { isMatch } = require('../../../../lib/export/choose')
  const { asideOf, timePartsOf } = await import(`${MODEL}/labels.mjs`)
  const { markdownOf, whyOf } = await import(`${MODEL}/report.mjs`)
  const { verdictOf } = await import(`${MODEL}/verdict.mjs`)
  const parts = { js: 1200, native: 0, gc: 0, asleep: 0, waiting: 6500, stopped: 0, unexplained: 0 }
  const row = at(1, { durationMs: 7700, parts, cause: 'starved', excused: false })
  const range = { fromMs: Date.parse(row.startedAt), toMs: Date.parse(row.startedAt) + 10000 }
  const [waiting, own] = culpritsOf([row], range, () => 0)
  assert.deepEqual([waiting.words, waiting.totalMs, own.words, own.totalMs], ['waiting for a CPU: give it more CPU', 6500, 'JavaScript', 1200])
  assert.equal(own.lastMs, range.fromMs + 7700)
  const view = { culprit: waiting.key, cause: null, text: '' }
  assert.deepEqual([row, at(2)].map((each) => isMatch(each, view)), [true, false])
  assert.match(verdictOf([row], range, { thresholdMs: 50, loops: 1 }), /once\. 84% was not your code\.$/)
  assert.equal(asideOf(row), null)
  const detail = (/** @type {any} */ block) => markdownOf({ block, source: null, advice: [], waits: { requests: 0 } }, '')
  assert.match(detail(row), /^- place /m)
  assert.doesNotMatch(detail({ ...row, excused: true }), /^- place /m)
  assert.match(whyOf(row), /^The loop was blocked for 7\.7 s, 6\.5 s of it waiting for a CPU: JavaScript – report /)
  assert.deepEqual(timePartsOf(row).map((/** @type {any} */ { label, ms }) => [label, ms]), [['JavaScript', 1200], ['waiting for a CPU', 6500]])
  assert.deepEqual(timePartsOf(at(3)), [])
})

test('the flame graph of the application alone keeps its time, and a search has its share', async () => {
  const { ownOnly, shareOf } = await import(`${MODEL}/flame-view.mjs`)
  /** @param {any} name @param {any} file @param {number} value @param {any[]} children */
  const node = (name, file, value, children = []) => ({ name, file, value, children })
  const own = (/** @type {number} */ value, /** @type {any[]} */ children = []) =>
    node('report app.js:1', '/srv/app.js', value, children)
  const tree = node('all', null, 100, [
    node('listen', 'node:net', 60, [node('handle', '/x/node_modules/express/a.js', 60, [own(50, [node('parse', null, 30, [node('deep', null, 30)])])])]),
    node('tick', 'node:timers', 40, [own(40)])
  ])
  assert.deepEqual(ownOnly(tree), node('all', null, 100, [own(90, [node('parse', null, 30)])]), 'one chain, whoever called it')
  assert.equal(shareOf(tree, 'REPORT'), 0.9)
  assert.equal(shareOf(tree, 'parse'), 0.3)
  assert.equal(shareOf(tree, ''), 0)
})

test('the flame graph without lines has each function once below its caller', async () => {
  const { linesMerged } = await import(`${MODEL}/flame-view.mjs`)
  /** @param {string} name @param {number} value @param {any[]} [children] */
  const node = (name, value, children = []) => ({ name, file: '/srv/app.js', value, children })
  const native = { name: 'a:1', file: null, value: 5, children: [] }
  const tree = node('all', 30, [node('f app.js:1', 10, [node('g app.js:7', 10)]), node('≈ f app.js:2', 20, [node('g app.js:8', 15), native])])
  assert.deepEqual(linesMerged(tree), node('all', 30, [node('f app.js', 30, [node('g app.js', 25), native])]))
})

test('a block is described in a sentence, and in Markdown that its names cannot break', async () => {
  const { whyOf, markdownOf } = await import(`${MODEL}/report.mjs`)
  assert.equal(whyOf(at(1)), 'The loop was blocked for 1.0 s: JavaScript – report app/report.js:41, for GET /report/:id.')
  const linkify = { package: { name: 'linkify-it', version: '5.0.1', bugs: null }, packageIssue: LINKIFY_ISSUE }
  assert.match(whyOf(at(1, linkify)), / in the package linkify-it@5\.0\.1 \(known: CVE-2026-59887, fixed in linkify-it 5\.0\.2\) – /)
  assert.match(whyOf(at(1, { change: NEW })), / – report app\/report\.js:41, new since version 1\.8\.2, for GET \/report\/:id\.$/)
  assert.match(whyOf(at(1, { cause: 'suspended', frame: null })), /: the whole process was stopped\. No line of code is to blame\.$/)
  const block = at(1, { frame: { ...frame('<b>`x`'), exact: false } })
  const source = { lines: [{ line: 1, text: '```', share: 0.5 }] }
  const waits = { requests: 2, longestMs: 40, routes: [] }
  const text = markdownOf({ block, source, advice: [{ text: 'Do less.' }], waits }, 'http://h/#block=1-1')
  assert.match(text, /- place `\/srv\/app\/<b>'x'\.js:1` \(≈ the line is uncertain\)\n/)
  assert.match(text, /2 requests waited, the longest 40 ms\n- advice: Do less\.\n- http:/)
  assert.equal(text.split('```').length, 3)
})
