'use strict'

// What the harness and its first scenarios decide, on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { delayBuckets, describeCaller, subtract } = require('../../../scenarios/harness/measure/caller-delay')
const { Context } = require('../../../scenarios/harness/run/context')
const { figure } = require('../../../scenarios/harness/report/format')
const { Latency } = require('../../../scenarios/harness/measure/latency')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { quantileOfBuckets, summarise } = require('../../../scenarios/harness/measure/stats')
const { renderMarkdown } = require('../../../scenarios/harness/report/markdown')
const { renderDocument } = require('../../../scenarios/harness/report/table')
const { jsonBytes, makePayload, names, sizes } = require('../../../scenarios/messaging/payloads')
const { codecs } = require('../../../scenarios/messaging/codecs')
const { run } = require('../../../scenarios/messaging/ping-pong')
const { Ring } = require('../../../scenarios/messaging/ring/ring')
const { transports } = require('../../../scenarios/messaging/transports')
const { readWrk } = require('../../../scenarios/overhead/server/load')
const { makeDocument } = require('../../support/scenario-document')

const ROOT = path.join(__dirname, '..', '..', '..', 'scenarios')
const scenarios = findScenarios()

test('the interval is Student\'s t on logarithms, and there is none of two samples', () => {
  const { median, min, max, ci95 } = summarise([80, 100, 125, 100, 100])
  assert.deepEqual([median, min, max], [100, 80, 125])
  // Logarithms -0.2231, 0, 0.2231, 0, 0 around 100: s = 0.1578, half = 2.776 * s / sqrt(5) = 0.1959.
  const [low, high] = /** @type {[number, number]} */ (ci95)
  assert.ok(Math.abs(low - 82.21) < 0.05 && Math.abs(high - 121.64) < 0.05, `${low} to ${high}`)
  assert.equal(summarise([1, 2]).ci95, null)
  assert.equal(summarise([1, 2]).median, 1.5)
  const [below, above] = /** @type {[number, number]} */ (summarise([0, 0, 3]).ci95)
  assert.ok(below < 0 && above > 1, 'figures that are 0 have no logarithm')
})

test('quantiles lie within their bucket, and at its beginning where it is open', () => {
  /** @type {[number, number][]} */
  const buckets = [[1, 50], [2, 90], [5, 100], [Infinity, 100]]
  assert.equal(quantileOfBuckets(buckets, 0.5), 1)
  assert.equal(quantileOfBuckets(buckets, 0.7), 1.5)
  assert.equal(quantileOfBuckets(buckets, 1), 5)
  assert.equal(quantileOfBuckets([[1, 0], [Infinity, 4]], 0.5), 1)
  assert.equal(quantileOfBuckets([], 0.5), 0)
})

test('the caller is what the agent says of it between two readings', () => {
  const line = (/** @type {string} */ le, /** @type {number} */ count) => `loopwatch_eventloop_delay_seconds_bucket{thread="main",le="${le}"} ${count}`
  const before = delayBuckets([line('0.001', 10), line('0.05', 10), line('+Inf', 10)].join('\n'))
  const after = delayBuckets(['# HELP x', line('0.001', 109), line('0.05', 110), line('+Inf', 110), 'loopwatch_other{le="1"} 3'].join('\n'))
  const run = { buckets: subtract(after, before), blocksMs: [70.4] }
  assert.deepEqual(describeCaller([run, { ...run, blocksMs: [] }]), {
    delayP50Ms: 0.51,
    delayP99Ms: 1,
    delayMaxMs: 70.4,
    blocks: 1
  })
})

test('a worker that has ended in between takes nothing from the delays of the others', () => {
  const worker = (/** @type {string} */ name, /** @type {number[]} */ counts) => counts.map((count, i) => `loopwatch_eventloop_delay_seconds_bucket{worker="${name}",thread="main",le="${['0.001', '0.05', '+Inf'][i]}"} ${count}`).join('\n')
  const before = delayBuckets([worker('1', [0, 100, 100]), worker('2', [100, 100, 100])].join('\n'))
  const after = delayBuckets([worker('2', [150, 150, 150]), worker('3', [40, 40, 50])].join('\n'))
  assert.deepEqual(subtract(after, before), [[1, 90], [50, 90], [Infinity, 100]])
})

test('latencies are right to a hundredth, even if they went through another process', () => {
  const [here, there] = [new Latency(), new Latency()]
  for (let i = 1; i <= 1000; i++) here.record(i / 100)
  for (const [ms, count] of JSON.parse(JSON.stringify(here.counts()))) there.record(ms, count)
  const { p50, p99, max } = /** @type {{ p50: number, p99: number, max: number }} */ (there.percentiles())
  for (const [actual, expected] of [[p50, 5], [p99, 9.9], [max, 10]]) assert.ok(Math.abs(actual / expected - 1) < 0.015, `${actual} for ${expected}`)
  assert.equal(new Latency().percentiles(), null)
  here.record(60000)
  assert.ok(Number(here.percentiles()?.max) > 59000, 'beyond its first range')
})

test('figures keep three digits', () => {
  assert.deepEqual([1234567.8, 999.6, 57.123, 1.239, 0.0123456, 0, null].map(figure), ['1,234,568', '1000', '57.1', '1.24', '0.012', '0', ''])
})

test('payloads have the size of the original\'s and are the same each time', () => {
  for (const [name, bytes] of Object.entries(sizes)) {
    const actual = jsonBytes(makePayload(name))
    assert.ok(Math.abs(actual / bytes - 1) <= 0.01, `${name}: ${actual}, not ${bytes}`)
  }
  for (const name of names) assert.deepEqual(makePayload(name), makePayload(name))
  const medium = makePayload('medium')
  assert.deepEqual([Object.keys(medium).length, medium.tags.length, medium.friends.length], [22, 7, 3])
  assert.ok(medium.text.endsWith('\r\n') && Math.abs(medium.text.length - 500) < 100, `${medium.text.length} characters`)
  assert.deepEqual([makePayload('big').length, makePayload('huge').length], [40, 300])
})

test('a ring gives back every message in order, round its end and when it was full', () => {
  const memory = Ring.allocate(1024)
  const [writer, reader] = [
    new Ring(memory, { isReader: false, cores: 2 }),
    new Ring(memory, { isReader: true, cores: 2 })
  ]
  const { json } = codecs
  let written = 0
  let read = 0
  let fullAt = 0
  while (read < 500) {
    while (written < 500 && json.write(writer, { at: written, text: 'ü'.repeat(written % 50) })) written++
    if (written < 500) fullAt++
    writer.flush()
    assert.ok(reader.look())
    while (reader.next()) {
      assert.deepEqual(json.read(reader), { at: read, text: 'ü'.repeat(read % 50) })
      read++
    }
    reader.release()
  }
  assert.ok(fullAt > 5, 'it was never full')
  assert.equal(reader.look(), false)
})

test('one spoiled message among sixteen in flight is a wrong result', async () => {
  let [sent, spoiled] = [0, -1]
  transports.spoiling = async () => {
    let listener = (/** @type {any} */ _) => {}
    return {
      send: (message) => {
        const answer = sent++ === spoiled ? { msg: 'spoiled' } : message
        setImmediate(() => listener(answer))
      },
      onMessage: (callback) => { listener = callback },
      close: () => {}
    }
  }
  const start = () => run(new Context({ cell: { variant: 'spoiling', params: { payload: 'small', depth: 16 }, module: '' }, mode: 'quick', seconds: 0.02, warmUpSeconds: 0, shared: {} }, null, () => {}))
  assert.ok((await start()).value > 0)
  for (const each of [3, 15]) {
    [sent, spoiled] = [0, each]
    await assert.rejects(start(), /a message that went round is not what it must be/)
  }
})

test('every scenario has a README that answers the four questions, and modes that repeat', () => {
  assert.ok(scenarios.length >= 2)
  for (const { name, title, modes, plan } of scenarios) {
    const readme = fs.readFileSync(path.join(ROOT, name, 'README.md'), 'utf8')
    for (const heading of ['The question', 'Reading the table', 'Where it comes from', 'Results']) assert.equal(readme.split(`\n## ${heading}\n`).length, 2, `${name}: ${heading}, once`)
    const opening = readme.slice(0, readme.indexOf('\n## '))
    assert.match(opening, /^# .+\n\n\*\*[^]+?\*\*[^]+\n\n(?:The original|There is no original)/, `${name}: our answer, then the original's`)
    assert.ok(title.length < 120)
    // One run of bakeoff is many blocks under each, which are seen or not; the others measure times.
    assert.ok(modes.default.repeats >= 5 || name === 'bakeoff', `${name}: at least five repeats by default`)
    for (const mode of /** @type {const} */ (['quick', 'default', 'full', 'faithful'])) {
      const cells = plan({ mode, options: {}, environment: makeDocument().environment, isListing: true })
      const keys = cells.map(({ variant, params }) => JSON.stringify([variant, params]))
      assert.equal(new Set(keys).size, keys.length, `${name} ${mode}: a cell twice`)
      assert.ok(cells.length > 0)
      for (const { variant } of cells) assert.ok(readme.includes(`\`${variant}\``), `${name}: README says nothing of ${variant}`)
    }
  }
})

test('tables fit the terminal and never need more than 120 columns', () => {
  const scenario = /** @type {import('../../../scenarios/harness/interface').Scenario} */ (scenarios.find(({ name }) => name === 'messaging'))
  const document = makeDocument()
  const narrow = renderDocument(document, scenario, 40)
  for (const line of narrow.split('\n')) assert.ok(line.length <= 40, line)
  assert.match(narrow, /^fork-json$/m)
  assert.match(narrow, /^ {2}median: 36,425 messages\/s$/m)
  const crowded = { ...document, cells: document.cells.map((cell) => ({ ...cell, params: { ...cell.params, connection: 'kept', endpoint: 'database-fixed' } })) }
  for (const columns of [120, 250, Infinity]) {
    for (const line of renderDocument(crowded, scenario, columns).split('\n')) assert.ok(line.length <= 120, line)
  }
  const wide = renderDocument(document, scenario, Infinity)
  assert.match(wide, /^fork-json +payload=small depth=1 +36,425 messages\/s /m)
  assert.match(wide, /skipped: go is not on the PATH/)
})

test('a run as Markdown, whose empty columns are left out', () => {
  const scenario = /** @type {import('../../../scenarios/harness/interface').Scenario} */ (scenarios.find(({ name }) => name === 'messaging'))
  const document = makeDocument()
  const text = renderMarkdown(document, scenario)
  assert.match(text, /^## messaging: .+\n\ndefault, repeats: 3\. Node v20\.20\.2, /)
  assert.match(text, /\n- Small messages, one in flight: /)
  const [head, rule, row] = text.split('\n').slice(text.split('\n').findIndex((line) => line.startsWith('| variant')))
  assert.deepEqual(new Set([head, rule, row].map((line) => line.split(' | ').length)).size, 1)
  assert.match(row, /^\| fork-json \| payload=small depth=1 \| 36,425 messages\/s \|/)
})

test('the original\'s tables stand next to ours, row by row, with the ratio', () => {
  const document = { ...makeDocument(), mode: /** @type {const} */ ('faithful'), seconds: 2 }
  const [messaging, offload] = ['messaging', 'offload'].map((name) => /** @type {import('../../../scenarios/harness/interface').Scenario} */ (scenarios.find((each) => each.name === name)))
  const [, cell] = document.cells
  const run = (/** @type {string} */ variant, /** @type {number} */ median) => ({ ...cell, variant, median, params: { payload: 'small', depth: 1, run: '10s' } })
  const [tenSeconds, minute] = messaging.compare?.({ ...document, cells: [run('fork-json', 25000), run('worker-clone', 50000)] }) ?? []
  assert.deepEqual(tenSeconds.rows.map(([payload]) => payload), ['small', 'medium', 'big', 'huge', 'bigstring'])
  assert.deepEqual(tenSeconds.rows[0], ['small', '252,384', '250,000', '0.99', '520,274', '500,000', '0.96', '206%', '200%'])
  assert.deepEqual(tenSeconds.rows[1], ['medium', '123,592', '', '', '173,562', '', '', '140%', ''], 'what was not measured is left open')
  assert.deepEqual([minute.rows.length, tenSeconds.notes], [5, ['Ours were measured over 2 s and scaled to 10 s.']])

  const [table] = offload.compare?.({
    ...document,
    cells: [{ ...cell, variant: 'fork-at-top-level', params: { count: 5e9 }, median: 5651.05908, caller: { delayP50Ms: 1, delayP99Ms: 2, delayMaxMs: 12.5, blocks: 3 }, extra: { startMs: summarise([5.2]), blockedAtBlocks: summarise([0]), agentStartMs: summarise([12.5]) } }]
  }) ?? []
  assert.deepEqual(table.rows, [
    ['fork', '5,651,059,080', '5,651,059,080', '1.00', '3.39', 'none', '5.20', '12.5'],
    ['Worker', '5,875,327,627', '', '', 'none', '', '', '']
  ])
})

test('what wrk prints is read with its units and its failures', () => {
  const text = `Running 1s test @ http://127.0.0.1:1/
  1 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   540.51us  155.08us   4.21ms   97.09%
    Req/Sec    93.88k     6.31k   98.71k    90.91%
  Latency Distribution
     50%  523.00us
     75%  541.00us
     90%  596.00us
     99%    1.09ms
  102687 requests in 1.10s, 12.14MB read
  Socket errors: connect 0, read 3, write 1, timeout 2
  Non-2xx or 3xx responses: 7
Requests/sec:  93364.94
Transfer/sec:     11.04MB
`
  assert.deepEqual(readWrk(text), {
    requestsPerSecond: 93364.94,
    requests: 102687,
    failed: 13,
    p50Ms: 0.523,
    p99Ms: 1.09
  })
})
