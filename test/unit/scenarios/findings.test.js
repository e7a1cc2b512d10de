'use strict'

// What the scenarios with servers say of their figures: never more than those do. And what they plan.
const test = require('node:test')
const assert = require('node:assert/strict')
const { contrast, ratioCells } = require('../../../scenarios/harness/report/contrast')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { differenceOf, summarise } = require('../../../scenarios/harness/measure/stats')
const { graceOf } = require('../../../scenarios/goroutines/plan')
const { around, beside, documentOf, makeDocument } = require('../../support/scenario-document')

const scenarioOf = (/** @type {string} */ name) =>
  /** @type {import('../../../scenarios/harness/interface').Scenario} */ (
    findScenarios().find((each) => each.name === name)
  )
/** A sentence that is read once is short, and no list of figures. @param {string[]} sentences */
const readable = (sentences) => {
  for (const sentence of sentences) {
    assert.ok(sentence.length <= 260, `${sentence.length} characters: ${sentence}`)
    for (const part of sentence.split(/\. (?=[A-Z])/)) assert.ok((part.match(/ times/g) ?? []).length <= 2, `a table in a sentence: ${part}`)
  }
  return sentences
}

/** @param {string} scenario @param {import('../../support/scenario-document').Given[]} given */
const findingsOf = (scenario, given) => readable(scenarioOf(scenario).findings(documentOf(given)))
/**
 * The rows of all its tables, each with its title.
 * @param {string} scenario @param {import('../../support/scenario-document').Given[]} given
 */
const rowsOf = (scenario, given) => (scenarioOf(scenario).tables?.(documentOf(given)) ?? []).flatMap(({ title, rows }) => rows.map((row) => [title, ...row].join(' | ')))

/** @param {string[]} findings @param {RegExp} expected */
const says = (findings, expected) => assert.ok(findings.some((sentence) => expected.test(sentence)), `${expected} in\n${findings.join('\n')}`)
/** @param {string[]} findings @param {RegExp} unwanted */
const keepsFrom = (findings, unwanted) => assert.ok(!findings.some((sentence) => unwanted.test(sentence)), `${unwanted} not in\n${findings.join('\n')}`)

test('two cells are compared repeat by repeat, by the interval of their ratio', () => {
  // Differences 2, 4, 6: deviation 2, two degrees of freedom, half = 4.303 * 2 / sqrt(3) = 4.969.
  const { middle, pairs, ci95 } = differenceOf([11, 23, 35, 40], [9, 19, 29])
  assert.deepEqual([middle, pairs, ci95?.map((end) => end.toFixed(3))], [4, 3, ['-0.969', '8.969']])
  assert.equal(differenceOf([1, 2], [1, 2, 3]).ci95, null)
  const cell = (/** @type {number[]} */ samples) => ({ samples })
  // Their own intervals overlap by far.
  assert.equal(contrast(cell([100, 200, 400]), cell([80, 161, 319])), 'more')
  assert.equal(contrast(cell([80, 161, 319]), cell([100, 200, 400])), 'less')
  // 1 is not in it, and it is within 0.9 to 1.1.
  assert.deepEqual(ratioCells(cell([1.05, 1.06, 1.055]), cell([1, 1, 1])), ['1.05', '1.04 to 1.07', 'about the same'])
  assert.deepEqual(ratioCells(cell([150]), cell(around(100, 0))), ['1.50', '', 'one run'])
  assert.deepEqual(ratioCells(cell([150, 150]), cell(around(100, 0))), ['1.50', '', 'two runs'])
  assert.deepEqual(ratioCells(cell([0, 1, 2]), cell([1, 2, 3])), ['', '', 'unclear: a run measured 0'])
})

/**
 * @param {string} variant
 * @param {number[]} samples
 * @param {number} utilization
 * @param {Record<string, any>} [params]
 */
const served = (variant, samples, utilization, params = {}) => ({
  variant,
  params: { endpoint: 'cpu', workers: variant === 'single' || variant === 'single-pool' ? 1 : 2, ...(variant === 'single-pool' ? { pool: 2 } : {}), users: 50, connection: 'kept', ...params },
  samples,
  extra: { utilization1: around(utilization, 0.001) }
})

test('a cluster answers more only if the ratio is clear, and the finding says whether the process was the limit', () => {
  const helped = findingsOf('cluster-http', [served('single', around(100), 0.99), served('cluster', around(180), 0.95), served('single-piscina', around(170), 0.1)])
  says(helped, /^cpu: A cluster of 2 answers 1\.80 times as many requests as one process \(180 against 100 requests\/s; 1\.\d+ to 1\.\d+\)\. The process was the limit: its event loop was active 99% of the time\.$/)
  says(helped, /^cpu: One process with 2 threads answers 1\.70 times .*Threads keep its event loop free: it was active 10% of the time instead of 99%\.$/)
  const open = findingsOf('cluster-http', [served('single', around(100, 0.4), 0.99), served('cluster', beside(130, 0.4), 0.95)])
  says(open, /^cpu: No clear difference between a cluster of 2 and one process in requests answered \(130 against 100 requests\/s; 1\.30 times, 0\.\d+ to 2\.\d+; about \d+ repeats would tell\)/)
  keepsFrom(open, / answers /)
  says(findingsOf('cluster-http', [served('single', around(100), 0.99), served('cluster', around(80), 0.95)]), /^cpu: One process answers 1\.25 times as many requests as a cluster of 2/)
  says(findingsOf('cluster-http', [served('single', [100], 0.99), served('cluster', [180], 0.95)]), /^cpu: A cluster of 2 answers 1\.80 times as many requests as one process \(180 against 100 requests\/s; one run\)/)
})

test('a pool of connections is compared with one connection, and the cluster with the pool', () => {
  const database = { endpoint: 'database' }
  const given = (/** @type {number[]} */ pool, /** @type {number[]} */ cluster) => findingsOf('cluster-http', [served('single', around(100), 0.6, database), served('single-pool', pool, 0.95, database), served('cluster', cluster, 0.5, database)])
  const equal = given(around(160), beside(162))
  says(equal, /^database: A pool of 2 connections in one process answers 1\.60 times as many requests as one connection/)
  says(equal, /^database: No difference that matters between a cluster of 2 and a pool of 2 connections in one process in requests answered/)
  says(equal, /^database: A cluster of 2 answers 1\.6\d times .*The process was not the limit: its event loop was active 60% of the time\.$/)
  says(given(around(110, 0.4), around(260)), /^database: No clear difference between a pool of 2 connections in one process and one connection/)
})

test('new connections, fewer workers, who accepts and open loops are compared with their counterpart only', () => {
  const late = (/** @type {number} */ ms, /** @type {number} */ spread) => ({
    p95Ms: around(ms, spread),
    duePerSecond: around(90)
  })
  const given = [
    served('single', around(100), 0.99), { ...served('cluster', around(180), 0.95), extra: { busiestShare: around(1.1) } },
    served('cluster', around(90), 0.95, { workers: 1 }), served('cluster', around(120, 0.6), 0.5, { workers: 4 }),
    { ...served('cluster-none', around(120), 0.95), extra: { busiestShare: around(1.6) } },
    served('single', around(60), 0.99, { connection: 'new' }),
    { ...served('single', around(90), 0.9, { share: 0.9 }), extra: late(40, 0.02) },
    { ...served('cluster', around(90), 0.5, { share: 0.9 }), extra: late(10, 0.02) },
    { ...served('single-piscina', around(90), 0.5, { share: 0.9 }), extra: late(35, 0.5) }
  ]
  const rows = rowsOf('cluster-http', given)
  says(rows, /^Requests answered \| cluster \(1\) \| single \| cpu \| 0\.900 \| .*\| less$|^Requests answered \| cluster \(1\) \| single \| cpu \| 0\.900 \| .*\| about the same$/)
  says(rows, /^Requests answered \| cluster \(4\) \| cluster \| cpu \| .*\| unclear, about \d+ repeats would tell$/)
  says(rows, /^Requests answered \| cluster-none \| cluster \| cpu \| 0\.66\d /)
  says(rows, /^Share of the busiest worker \| cluster-none \| cluster \| cpu \| 1\.45 /)
  says(rows, /^Requests answered \| single, new connections \| single, kept ones \| cpu \| 0\.60\d* /)
  keepsFrom(rows, /cluster, kept ones/)
  says(rows, /^p95 latency in an open loop \| cluster \| single \| cpu at 90% \| 0\.25\d* \| .*\| less$/)
  says(rows, /^p95 latency in an open loop \| single-piscina \| single \| cpu at 90% \| .*\| unclear/)
  says(findingsOf('cluster-http', given), /^cpu, open loop at 90% of what one process can do \(90 requests per second\): in one process, the p95 from when a request was due is 40\.0 ms/)
})

test('when a worker is killed, requests that were left open are counted apart', () => {
  const kill = (/** @type {number[]} */ left) => findingsOf('cluster-http', [{ variant: 'cluster-kill', params: { endpoint: 'cpu', workers: 2, users: 50, connection: 'kept' }, samples: around(100), extra: { failed: [13, 20, 25, 26, 27], requests: around(300), unansweredAfterKill: left } }])
  says(kill([0, 0, 3, 7, 1]), /^cpu: when a worker is killed halfway, 25 requests of 300 fail \(13 to 27\)\. Up to 7 of them got neither an answer nor an end/)
  keepsFrom(kill([0, 0, 0, 0, 0]), /neither an answer/)
  assert.equal(kill([0, 0, 0, 0, 0]).length, 2)
})

test('a figure that is the driver\'s own supports nothing', () => {
  const single = served('single', around(100), 0.5)
  const findings = findingsOf('cluster-http', [{ ...single, extra: { ...single.extra, driverWasBottleneck: [0, 1, 0] } }, served('cluster', around(180), 0.95)])
  keepsFrom(findings, / answers /)
  says(findings, /^The driver was the bottleneck in single cpu, so those figures are not used above\.$/)
})

/**
 * @param {string} variant
 * @param {number[]} samples
 * @param {Record<string, any>} [params]
 * @param {number[]} [healthMs]
 */
const worked = (variant, samples, params = {}, healthMs = around(5)) => ({
  variant,
  params: { kernel: 'float', workMs: 10, users: 10, ...params },
  samples,
  extra: { healthP99Ms: healthMs, serverFromMiB: [60], serverToMiB: [62], serverPeakMiB: [80], kibPerUser: around(100) }
})

test('threads pay from the size on from which they are faster at every size, and not where runs cannot tell', () => {
  const at = (/** @type {number} */ workMs, /** @type {number[]} */ main, /** @type {number[]} */ pool) => [worked('node-main', main, { workMs }, around(workMs * 9)), worked('node-pool', pool, { workMs })]
  const sizes = [
    ...at(0.1, around(5000), around(3000)),
    ...at(1, around(800, 0.4), beside(900, 0.4)),
    ...at(10, around(90), around(170)),
    ...at(100, around(9), around(18))
  ]
  const findings = findingsOf('goroutines', sizes)
  says(findings, /^float, 10 users: From 10 ms of work on, a pool of threads answers more requests than the main thread\.$/)
  says(findings, /^float, 10 users: From 1 ms of work on, a cheap request waits less next to a pool of threads than next to the main thread\.$/)
  const rows = rowsOf('goroutines', sizes)
  says(rows, /^Requests answered \| node-main \| node-pool \| float of 0\.1 ms, 10 users \| 1\.67 /)
  says(rows, /^Requests answered \| node-main \| node-pool \| float of 1 ms, 10 users \| .* unclear, about/)
  says(rows, /^p99 of a cheap request at the same time \| node-main \| node-pool \| float of 0\.1 ms, 10 users \| 0\.180 /)
  const broken = findingsOf('goroutines', [...sizes, ...at(1000, around(1, 0.4), beside(1.2, 0.4))])
  says(broken, /^float, 10 users: These runs show no amount of work from which on a pool of threads answers more requests than the main thread\.$/)
  says(findingsOf('goroutines', at(10, [90], [170])), /^float of 10 ms, 10 users: A pool of threads answers 1\.89 times as many requests as the main thread \(170 against 90\.0 requests\/s; one run\)\.$/)
})

test('Go is ahead by kernel only if the ratio tells', () => {
  const given = [
    worked('node-pool', around(100)), worked('go-goroutines', around(104, 0.2)),
    ...[['json', 30], ['sort', 220]].flatMap(([kernel, rate]) => [worked('node-pool', around(100), { kernel }), worked('go-goroutines', around(Number(rate)), { kernel })])
  ]
  const findings = findingsOf('goroutines', given)
  says(findings, /^10 ms, 10 users: Goroutines answer more requests than a pool of threads with sort\.$/)
  says(findings, /^10 ms, 10 users: A pool of threads answers more requests than goroutines with json\.$/)
  says(findings, /^10 ms, 10 users: These runs show no clear difference between goroutines and a pool of threads with float\.$/)
  says(rowsOf('goroutines', given), /^Requests answered \| go-goroutines \| node-pool \| sort of 10 ms, 10 users \| 2\.20 /)
})

test('what a thread for each request costs, and the fastest counters', () => {
  const counted = (/** @type {string} */ variant, /** @type {number[]} */ samples) => ({
    variant,
    params: { updates: 10000, users: 10 },
    samples
  })
  const findings = findingsOf('goroutines', [
    worked('node-pool', around(500), { users: 1, workMs: 1 }), worked('node-worker-per-request', around(25), { users: 1, workMs: 1 }),
    counted('node-state-atomics-add', around(11e6)), counted('node-state-futex-mutex', around(10.5e6, 0.3)), counted('go-state-atomic', around(50e6)), counted('go-state-mutex-map', around(12e6)),
    { ...counted('go-state-racy', around(90e6)), params: { updates: 10000, users: 10, racy: true }, extra: { lostPercent: around(30) } }
  ])
  says(findings, /^Starting and ending a thread costs one user 38\.0 ms per request\.$/)
  says(findings, /^Shared counters in Node\.js: atomics-add makes 11,000,000 updates\/s|^Shared counters in Node\.js: atomics-add makes 11,000,000 requests\/s \([^)]*\)\.$/)
  says(findings, /^Shared counters in Go: atomic makes .*, more than any other way that loses no update\.$/)
  says(findings, /^Shared counters in Go: without a guard, 30\.0% of the updates are lost\.$/)
  says(findings, /^The fastest way to share counters in Go makes 4\.5\d times as many updates as/)
})

test('the full matrix has every pair of its dimensions once', () => {
  const planned = (/** @type {string} */ name) => {
    const cells = scenarioOf(name).plan({ mode: 'full', options: { databaseUrl: 'postgres://x' }, environment: /** @type {any} */ ({ cores: 2 }), isListing: true })
    assert.equal(new Set(cells.map(({ variant, params }) => JSON.stringify([variant, params]))).size, cells.length)
    assert.ok(cells.length > 100 && cells.length < 150, `${name}: ${cells.length}`)
    return (/** @type {string} */ variant, /** @type {Record<string, unknown>} */ params) => assert.ok(cells.some((cell) => cell.variant === variant && Object.entries(params).every(([key, value]) => cell.params[key] === value)), `${name} lacks ${variant} ${JSON.stringify(params)}`)
  }
  const http = planned('cluster-http')
  for (const endpoint of ['empty', 'static', 'cpu', 'database', 'database-fixed']) {
    for (const variant of ['cluster', 'cluster-none', 'reuse-port']) {
      for (const workers of [1, 4]) http(variant, { endpoint, workers, connection: 'kept' })
      http(variant, { endpoint, connection: 'new' })
    }
  }
  for (const variant of ['single', 'cluster', 'single-piscina']) for (const share of [0.3, 0.9]) http(variant, { endpoint: 'cpu', share })
  for (const share of [0.3, 0.9]) http('single-pool', { endpoint: 'database-fixed', share })
  http('single-pool', { endpoint: 'database-fixed', pool: 4 })
  const works = planned('goroutines')
  for (const variant of ['node-main', 'node-worker-per-request', 'node-pool', 'node-piscina', 'node-cluster', 'go-goroutines', 'go-pool', 'go-one-processor']) {
    for (const kernel of ['float', 'int32', 'sha256', 'json', 'sort', 'mandelbrot']) works(variant, { kernel })
    for (const workMs of [0.1, 1, 10, 100, 1000]) works(variant, { workMs })
    for (const users of [1, 10, 100, 1000]) works(variant, { users })
  }
})

test('the original\'s loop has the time that ten of them need on few cores', () => {
  // 10^10 additions of four cycles at 2.5 GHz: 16 s alone, 80 s for ten on two cores, twice that beside other work.
  assert.ok(graceOf(1e10, 2) >= 160 && graceOf(1e10, 1) >= 320)
  assert.equal(graceOf(2 ** 31 + 1, 16), 120)
  const [cell] = scenarioOf('goroutines').plan({ mode: 'faithful', options: {}, environment: /** @type {any} */ ({ cores: 2 }), isListing: true })
  assert.ok(Number(cell.timeLimitSeconds) > Number(cell.data?.graceSeconds), 'the harness ends it before its own requests have')
})

test('overhead: over all servers each watcher has a row for the handlers that all of them ran, and a default run has its cells in sentences', () => {
  const { tables = () => [] } = scenarioOf('overhead')
  const [, cell] = makeDocument().cells
  const ran = (
    /** @type {string} */ variant,
    /** @type {string} */ server,
    /** @type {string} */ handler,
    /** @type {number} */ value
  ) => ({
    ...cell,
    variant,
    params: { server, handler },
    unit: '× bare',
    ...summarise([value]),
    extra: { cpuRatio: summarise([1 / value]), p99Ratio: summarise([2 / value]) }
  })
  const cells = ['trivial', 'work'].flatMap((handler, i) => [['bare', 0.9], ['express', 0.95], ['fastify', 0.85]].map(([server, value]) => ran('loopwatch', `${server}`, handler, Number(value) + i / 10)))
  const document = { ...makeDocument(), cells: [...cells, ran('sentry', 'bare', 'trivial', 1), ran('loopwatch', 'bare', 'idle', 2)] }
  const [contrasts, throughput, cpu, p99] = tables(document)
  assert.deepEqual(contrasts.rows[0], ['loopwatch', 'bare server', 'requests answered', '0.900', '', 'one run'])
  assert.deepEqual(throughput.head, ['variant', 'trivial', 'work'])
  // Logarithms of 0.85, 0.9, 0.95: deviation 0.0556, so 4.303 * 0.0556 / sqrt(3) = 0.138 around -0.1066.
  assert.deepEqual(throughput.rows, [['loopwatch', '0.900 (0.783 to 1.03)', '1.00 (0.882 to 1.13)']])
  assert.match(cpu.rows[0][1], /^1\.11 \(/)
  assert.match(p99.rows[0][1], /^2\.22 \(/)
  const ofOneServer = tables({ ...document, cells: document.cells.filter(({ params }) => params.server === 'bare') })
  assert.deepEqual(ofOneServer.slice(1).map(({ title }) => title), ['An idle server'])

  const sentences = (/** @type {'full' | 'default'} */ mode) => scenarioOf('overhead').findings({ ...document, mode })
  says(sentences('default'), /^A bare server watched by loopwatch takes 1\.11 times as much CPU time for a request as an unwatched bare server \(one run\)\.$/)
  says(sentences('default'), /^An unwatched bare server answers 1\.11 times as many requests as a bare server watched by loopwatch \(one run\)\.$/)
  says(sentences('full'), /^Watching an idle server adds 2\.00% of a core \(one run\)\.$/)
  assert.ok(sentences('full').length < 15, 'of a hundred cells the tables tell')
})
