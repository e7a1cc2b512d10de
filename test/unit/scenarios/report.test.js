'use strict'

// What opens a scenario's report: its verdict, its glossary, its figures, and the download.
const test = require('node:test')
const assert = require('node:assert/strict')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { summarise } = require('../../../scenarios/harness/measure/stats')
const { ratioCells, told } = require('../../../scenarios/harness/report/contrast')
const { count, counted } = require('../../../scenarios/harness/report/format')
const { variantsOf } = require('../../../scenarios/harness/report/glossary')
const { renderReport } = require('../../../scenarios/harness/report/report')
const { renderDocument } = require('../../../scenarios/harness/report/table')
const { verdictOf } = require('../../../scenarios/harness/report/verdict')
const { around, beside, documentOf, makeDocument } = require('../../support/scenario-document')

/** @typedef {import('../../support/scenario-document').Given} Given */

const scenarios = findScenarios()
const scenarioOf = (/** @type {string} */ name) =>
  /** @type {import('../../../scenarios/harness/interface').Scenario} */ (scenarios.find((each) => each.name === name))

/** @param {string} scenario @param {Given[]} given */
const verdictBy = (scenario, given) => verdictOf(documentOf(given), scenarioOf(scenario))

const NOISE = 0.4

test('a sentence about two ways has their ratio and its interval, or claims nothing', () => {
  const [slow, fast, wide] = [around(100), beside(150), around(110, NOISE)].map(summarise)
  const words = { first: 'way A', second: 'way B', more: /** @type {[string, string]} */ (['answers', 'as much as']), what: 'answers' }
  assert.match(told(fast, slow, words), /^Way A answers 1\.50 times as much as way B \(1\.4\d to 1\.5\d\)\.$/)
  assert.match(told(slow, fast, words), /^Way B answers 1\.50 times as much as way A \(1\.4\d to 1\.5\d\)\.$/)
  assert.match(told(wide, slow, words), /^No clear difference between way A and way B in answers \(1\.0\d times, 0\.\d+ to 1\.\d+; about \d+ repeats would tell\)\.$/)
  assert.match(told(summarise(beside(101)), slow, words), /^No difference that matters between way A and way B in answers \(1\.01 times, 0\.9\d+ to 1\.0\d\)\.$/)
  assert.equal(told(summarise([147, 149]), summarise([100, 100]), { ...words, unit: 'ms' }), 'Way A answers 1.48 times as much as way B (148 against 100 ms; two runs).')
  // By the mean of its pairs the first has less.
  assert.match(told(summarise([1, 19]), summarise([8, 10]), words), /^Way A answers 1\.11 times as much as way B/)
  assert.deepEqual(ratioCells(undefined, slow), ['', '', 'not measured'])
})

/** @param {string} variant @param {number[]} samples */
const sent = (variant, samples) => ({ variant, params: { payload: 'small', depth: 1 }, samples })

test('messaging: a thread, a process, or that these runs cannot tell', () => {
  const by = (/** @type {number[]} */ process, /** @type {number[]} */ thread) => verdictBy('messaging', [sent('fork-json', process), sent('worker-clone', thread)])
  assert.match(by(around(9000), beside(18000)), /^A thread returns 2\.00 times as many small messages, one in flight, as a process \(18,000 against 9,000 requests\/s; 1\.9\d to 2\.0\d\)\.$/)
  assert.match(by(around(18000), around(9000)), /^A process returns 2\.00 times as many small messages/)
  assert.match(by(around(9269, NOISE), beside(8399, NOISE)), /^No clear difference between a thread and a process in small messages, one in flight, returned \(.*0\.906 times, 0\.\d+ to 1\.\d+; about \d+ repeats would tell\)\.$/)
  assert.match(by([9269], [18399]), /^A thread returns 1\.99 times .* \(18,399 against 9,269 requests\/s; one run\)\.$/)
  assert.match(verdictBy('messaging', [sent('ring-json', around(1))]), /^No verdict: this run did not measure what the question needs\.$/)
})

test('a quick run has its figures in the headline, and says that they are of one run', () => {
  const document = { ...documentOf([sent('fork-json', [9269]), sent('worker-clone', [18399])]), mode: /** @type {const} */ ('quick'), repeats: 1 }
  assert.equal(verdictOf(document, scenarioOf('messaging')), 'A thread returns 1.99 times as many small messages, one in flight, as a process (18,399 against 9,269 requests/s; one run). One quick run of each, not to quote: run it without --quick for intervals.')
})

test('the mode with the original\'s experiment says how long it takes', () => {
  for (const { name, modes } of scenarios) assert.match(modes.faithful.note, /; about \d+ minutes/, name)
})

/** @param {string} variant @param {number} workMs @param {number[]} heldMs */
const handed = (variant, workMs, heldMs) => ({
  variant,
  params: { workMs, inputKiB: 0, parallel: 1 },
  samples: variant === 'inline' ? heldMs : heldMs.map((each) => each + workMs),
  extra: { heldMs, sendMs: heldMs },
  unit: 'ms'
})

/** @param {Record<string, (workMs: number) => number[]>} held */
const offloaded = (held) => Object.entries(held).flatMap(([variant, read]) =>
  [1, 10, 100].map((workMs) => handed(variant, workMs, read(workMs))))

test('offload: the amount of work from which each means pays off, or that it does not', () => {
  const held = { pool: () => around(0.1), worker: () => around(2), fork: () => around(200) }
  const given = offloaded({ inline: (ms) => around(ms), ...held })
  assert.match(verdictBy('offload', given), /^Hand work of 1 ms or more to a warm pool: on 2 cores it blocks the caller for 0\.1\d\d ms .*, less than half as long as the work itself would\.$/)
  const { findings, tables = () => [] } = scenarioOf('offload')
  const [pool, thread, process] = findings(documentOf(given))
  assert.match(pool, /^A warm pool pays off from 1 ms of work: it blocks the caller for 0\.100 ms \(.*\)\.$/)
  assert.match(thread, /^A new thread pays off from 10 ms of work/)
  assert.equal(process, 'A new process does not pay for work of up to 100 ms.')
  const [table] = tables(documentOf(given))
  assert.deepEqual(table.rows.map(([name, from, , later]) => [name, from, later]), [['a warm pool', '1 ms', '0.100 later'], ['a new thread', '10 ms', '2.00 later'], ['a new process', '', '200 later']])
  // It would by the medians.
  assert.match(verdictBy('offload', offloaded({ inline: (ms) => around(ms, NOISE), pool: (ms) => beside(ms * 0.45, NOISE) })), /^These runs do not show that offloading pays for work of up to 100 ms\.$/)
  assert.match(verdictBy('offload', offloaded({ inline: (ms) => around(ms), pool: (ms) => beside(ms) })), /^Offloading does not pay for work of up to 100 ms\.$/)
  assert.match(verdictBy('offload', offloaded({ inline: (ms) => around(ms), pool: () => around(0.1, NOISE), worker: () => beside(0.11, NOISE) })), /\. No clear difference between a new thread and a warm pool in time for which the caller is blocked \(.*\)\.$/)
  assert.match(verdictBy('offload', offloaded({ inline: (ms) => [ms], pool: () => [0.1] })), /^Hand work of 1 ms or more to a warm pool: .* blocks the caller for 0\.100 ms \(one run\), less than half/)
})

test('hook-calls: through the main thread or directly', () => {
  const called = (/** @type {string} */ variant, /** @type {number[]} */ samples) => ({ variant, params: { consumeMs: 0, count: 1000, idLength: 30, workers: variant === 'main' ? 0 : 4 }, samples, extra: { mainCpuMs: samples }, unit: 'ms' })
  const by = (/** @type {number[]} */ direct, /** @type {number[]} */ indirect) => verdictBy('hook-calls', [called('main', around(10)), called('direct', direct), called('indirect-fifo', indirect)])
  assert.match(by(around(10), around(40)), /^A relay through the main thread takes 4\.00 times as long as calling workers directly from Rust \(40\.0 against 10\.0 ms; .*\)\. No difference that matters between running hooks on the main thread and calling workers directly in CPU time/)
  assert.match(by(around(40, NOISE), beside(41, NOISE)), /^No clear difference between a relay through the main thread and calling workers directly from Rust in time/)
})

test('cluster-http: where a cluster helps, where it harms, and where neither', () => {
  const served = (/** @type {string} */ endpoint, /** @type {string} */ variant, /** @type {number[]} */ samples) => ({ variant, params: { endpoint, workers: variant === 'single' ? 1 : 2, users: 50, connection: 'kept' }, samples })
  const pair = (/** @type {string} */ endpoint, /** @type {number[]} */ one, /** @type {number[]} */ two) => [served(endpoint, 'single', one), served(endpoint, 'cluster', two)]
  assert.match(verdictBy('cluster-http', [...pair('cpu', around(100), around(180)), ...pair('static', around(100, NOISE), beside(105, NOISE)), ...pair('database', around(100), beside(101)), ...pair('empty', around(100), around(80))]),
    /^With cpu \(1\.80 times\), a cluster of 2 answers more requests than one process\. With empty \(0\.800 times\), a cluster of 2 answers fewer .*\. With database \(1\.01 times\), there is no difference that matters .*\. With static \(1\.0\d times\), these runs show no clear difference/)
  const few = documentOf(pair('cpu', [100], [180]))
  assert.match(verdictOf(few, scenarioOf('cluster-http')), /^Requests answered by a cluster of 2, compared with one process: cpu \(1\.80 times\)\.$/)
})

test('goroutines, overhead and bakeoff: their questions answered', () => {
  const worked = (/** @type {string} */ variant, /** @type {number[]} */ samples) => ({ variant, params: { kernel: 'float', workMs: 10, users: 1 }, samples })
  assert.match(verdictBy('goroutines', [worked('node-main', around(100)), worked('node-pool', around(180)), worked('go-goroutines', beside(182, NOISE))]),
    /^float of 10 ms, 1 user: A pool of threads answers 1\.80 times as many requests as the main thread \(.*\)\. No clear difference between a Go server with goroutines and that pool/)
  const watched = (/** @type {string} */ variant, /** @type {number[]} */ ratio, /** @type {number[]} */ p99) => ({ variant, params: { server: 'bare', handler: 'trivial' }, samples: ratio, extra: { cpuRatio: ratio, p99Ratio: p99 }, unit: '× bare' })
  assert.match(verdictBy('overhead', [watched('nothing', around(1), around(1, NOISE)), watched('loopwatch', around(0.9), beside(1.1, NOISE))]),
    /^An unwatched bare server answers 1\.11 times as many requests as a bare server watched by loopwatch \(.*\)\. An unwatched bare server takes 1\.11 times as much CPU time .*\. No clear difference between .* in p99 latency \(.*\)\.$/)
  assert.match(verdictBy('overhead', [watched('loopwatch', around(0.99), around(1.3))]), /^No difference that matters between .* in requests answered \(0\.990 times, .*A bare server watched by loopwatch has 1\.30 times as high a p99 latency/)
  const saw = (/** @type {string} */ variant, /** @type {number} */ percent, /** @type {number} */ falsePositives) => ({ variant, params: { blocks: 48, traps: 4 }, samples: [percent], extra: { falsePositives: [falsePositives], whileBlocked: [50] }, unit: '%' })
  const document = documentOf([saw('blocked-at', 87.5, 3), saw('loopwatch', 100, 1)])
  assert.equal(verdictOf(document, scenarioOf('bakeoff')), 'loopwatch reports 48 of 48 blocks; blocked-at is next with 42. loopwatch blames the application for 1 block that it did not cause.')
  assert.match(scenarioOf('bakeoff').findings(document).join('\n'), /blocked-at reports 3 blocks where there are none/)
})

test('the verdict says how many cells failed', () => {
  assert.match(verdictOf(makeDocument(), scenarioOf('messaging')), /^A thread returns .*\. 1 of 4 cells failed and is left out\.$/)
})

test('what is counted has no decimals', () => {
  assert.deepEqual([9, 12.5, 1234, 0, null].map(count), ['9', '13', '1,234', '0', ''])
  assert.deepEqual([counted(1, 'block'), counted(2, 'block'), counted(0, 'user')], ['1 block', '2 blocks', '0 users'])
})

test('every variant of every scenario has its words, in the report of a run that has it', async () => {
  for (const scenario of scenarios) {
    const { environment, cells: [cell] } = makeDocument()
    const modes = /** @type {const} */ (['quick', 'default', 'full', 'faithful'])
    const planned = modes.flatMap((mode) => scenario.plan({ mode, options: {}, environment, isListing: true }))
    const variants = [...new Set(planned.map(({ variant }) => variant))]
    const words = variantsOf(scenario.name)
    assert.deepEqual(variants.filter((name) => !words.get(name)), [], `${scenario.name}: without words`)
    assert.deepEqual([...words.keys()].filter((name) => !variants.includes(name)), [], `${scenario.name}: words of no variant`)
    assert.deepEqual([...words.values()].filter((text) => /[`\][|]/.test(text)), [], 'Markdown is left in it')
    const cells = variants.map((variant) => ({ ...cell, variant, params: {} }))
    const document = { ...makeDocument(), scenario: scenario.name, cells }
    const html = await renderReport([document], [{ ...scenario, charts: () => [], tables: () => [] }])
    for (const name of variants) assert.match(html, new RegExp(`<dt>${name}</dt><dd>[^<]+</dd>`))
  }
})

test('a report opens with the verdict, the findings and the charts; the terminal has the verdict too', async () => {
  const document = makeDocument()
  const html = await renderReport([document], scenarios)
  const order = ['<h2>messaging</h2>', `<p class="verdict">${document.verdict}</p>`, '<li>Small messages', '<svg', '<h3>Every cell</h3>', '<h3>The variants</h3>', 'download="loopwatch-messaging.json"'].map((part) => html.indexOf(part))
  assert.ok(order.every((at, i) => at > (order[i - 1] ?? 0)), `${order}`)
  const [, data] = /** @type {RegExpExecArray} */ (/href="data:application\/json;base64,([^"]+)"/.exec(html))
  assert.deepEqual(JSON.parse(Buffer.from(data, 'base64').toString()), document)
  assert.match(html, /<dt>oversubscribed<\/dt><dd>more processes and threads/)
  assert.match(renderDocument(document, scenarioOf('messaging'), Infinity), /^messaging, default: .*\n\nSend messages to a thread rather than/)
})
