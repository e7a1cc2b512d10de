'use strict'

// What the scenarios with servers say of their figures: never more than those do. And what they plan.
const test = require('node:test')
const assert = require('node:assert/strict')
const { compared, contrast } = require('../../../scenarios/harness/report/contrast')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { differenceOf, summarise } = require('../../../scenarios/harness/measure/stats')
const { graceOf } = require('../../../scenarios/goroutines/plan')
const { around, beside, documentOf, makeDocument } = require('../../support/scenario-document')

const scenarioOf = (/** @type {string} */ name) =>
  /** @type {import('../../../scenarios/harness/interface').Scenario} */ (
    findScenarios().find((each) => each.name === name)
  )
/** @param {string} scenario @param {import('../../support/scenario-document').Given[]} given */
const findingsOf = (scenario, given) => scenarioOf(scenario).findings(documentOf(given))

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
  assert.equal(compared(cell([1.05, 1.06, 1.055]), cell([1, 1, 1])), 'no difference that matters (1.05 times, 1.04 to 1.07)')
  assert.equal(compared(cell([150]), cell(around(100, 0))), '1.50 times (one run)')
  assert.equal(compared(cell([150, 150]), cell(around(100, 0))), '1.50 times (two runs)')
  assert.equal(compared(cell([0, 1, 2]), cell([1, 2, 3])), 'cannot be told apart: a run measured 0')
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

test('a cluster helps where it is faster and the process was the limit; what runs cannot tell is not said', () => {
  const helped = findingsOf('cluster-http', [served('single', around(100), 0.99), served('cluster', around(180), 0.95), served('single-piscina', around(170), 0.1)])
  says(helped, /^cpu: a cluster of 2 helps, 1\.80 times \(1\.\d+ to 1\.\d+\) the requests of one process \(100 requests\/s .*; that process was the limit, its event loop active 99 % of the time/)
  says(helped, /They keep the event loop free, its event loop active 10 % of the time instead of 99 %/)
  const open = findingsOf('cluster-http', [served('single', around(100, 0.4), 0.99), served('cluster', beside(130, 0.4), 0.95)])
  says(open, /^cpu: a cluster of 2 over one process: cannot be told apart in these runs \(1\.30 times, 0\.\d+ to 2\.\d+; about \d+ repeats would tell\); the one process answers 100 requests\/s/)
  keepsFrom(open, /helps,|harms/)
  says(findingsOf('cluster-http', [served('single', around(100), 0.99), served('cluster', around(80), 0.95)]), /^cpu: a cluster of 2 harms, 0\.80\d* times/)
  const once = findingsOf('cluster-http', [served('single', [100], 0.99), served('cluster', [180], 0.95)])
  says(once, /^cpu: a cluster of 2 over one process: 1\.80 times \(one run\); the one process answers 100 requests\/s \(one run\)/)
  keepsFrom(once, /helps,/)
})

test('where further connections alone do it, a pool is named and no cluster is asked for', () => {
  const database = { endpoint: 'database' }
  const given = (/** @type {number[]} */ pool, /** @type {number[]} */ cluster) => findingsOf('cluster-http', [served('single', around(100), 0.6, database), served('single-pool', pool, 0.95, database), served('cluster', cluster, 0.5, database)])
  const equal = given(around(160), beside(162))
  says(equal, /^database: a pool of 2 connections in one process helps, 1\.60 times .*the connection was the limit, and nothing shows that a cluster would be needed\. The cluster over that pool: no difference that matters \(1\.01 times, 0\.9\d+ to 1\.0\d\)/)
  says(equal, /^database: a cluster of 2 helps, .*that process was not at its limit, its event loop active 60 % of the time, and further connections alone help as well/)
  const more = given(around(160), around(260))
  says(more, /the connection was the limit\. The cluster over that pool: 1\.6\d times/)
  const none = given(around(110, 0.4), around(260))
  says(none, /^database: a pool of 2 connections in one process over one connection: cannot be told apart/)
  keepsFrom(none, /connections alone help|the connection was the limit/)
})

test('new connections, fewer workers, who accepts and open loops are compared with their counterpart only', () => {
  const late = (/** @type {number} */ ms, /** @type {number} */ spread) => ({
    p95Ms: around(ms, spread),
    duePerSecond: around(90)
  })
  const findings = findingsOf('cluster-http', [
    served('single', around(100), 0.99), { ...served('cluster', around(180), 0.95), extra: { busiestShare: around(1.1) } },
    served('cluster', around(90), 0.95, { workers: 1 }), served('cluster', around(120, 0.6), 0.5, { workers: 4 }),
    { ...served('cluster-none', around(120), 0.95), extra: { busiestShare: around(1.6) } },
    served('single', around(60), 0.99, { connection: 'new' }),
    { ...served('single', around(90), 0.9, { share: 0.9 }), extra: late(40, 0.02) },
    { ...served('cluster', around(90), 0.5, { share: 0.9 }), extra: late(10, 0.02) },
    { ...served('single-piscina', around(90), 0.5, { share: 0.9 }), extra: late(35, 0.5) }
  ])
  says(findings, /^What node:cluster itself costs, one worker over one process: cpu: 0\.900 times/)
  says(findings, /^4 workers over as many as there are cores \(2\): cpu: cannot be told apart/)
  says(findings, /^The kernel chooses who accepts .*cpu: 0\.66\d times/)
  says(findings, /^What the busiest worker answered, with SCHED_NONE over round robin: cpu: 1\.45 times/)
  says(findings, /^New connections over kept ones, single: cpu: 0\.60\d* times/)
  keepsFrom(findings, /kept ones, cluster/)
  says(findings, /^cpu, an open loop at 90 % of what one process can do \(90 requests due a second\): .*cluster \(2\) shortens it: 0\.25\d* times .*single-piscina \(2\): cannot be told apart/)
})

test('of a worker that is killed what was left open is told apart, and without other cells nothing else is said', () => {
  const kill = (/** @type {number[]} */ left) => findingsOf('cluster-http', [{ variant: 'cluster-kill', params: { endpoint: 'cpu', workers: 2, users: 50, connection: 'kept' }, samples: around(100), extra: { failed: [13, 20, 25, 26, 27], requests: around(300), unansweredAfterKill: left } }])
  says(kill([0, 0, 3, 7, 1]), /^cpu: a worker that is killed half-way takes 25 requests with it \(13 to 27\), of 300; up to 7 of them had neither an answer nor an end/)
  keepsFrom(kill([0, 0, 0, 0, 0]), /neither an answer/)
  assert.equal(kill([0, 0, 0, 0, 0]).length, 2)
})

test('a figure that is the driver\'s own supports nothing', () => {
  const single = served('single', around(100), 0.5)
  const findings = findingsOf('cluster-http', [{ ...single, extra: { ...single.extra, driverWasBottleneck: [0, 1, 0] } }, served('cluster', around(180), 0.95)])
  keepsFrom(findings, /helps|harms/)
  says(findings, /The driver was the bottleneck in single cpu: those figures are its own, and nothing above rests on them/)
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
  says(findings, /^float, 10 users: a pool of threads answers more than the main thread from 10 ms of work on; .*at 0\.1 ms: 0\.60\d* times .*; at 1 ms: cannot be told apart in these runs \([^)]*\); at 10 ms: 1\.8\d times/)
  says(findings, /^float, 10 users: a cheap request waits less beside a pool of threads from 1 ms of work on; .*at 0\.1 ms: 5\.56 times/)
  const broken = findingsOf('goroutines', [...sizes, ...at(1000, around(1, 0.4), beside(1.2, 0.4))])
  says(broken, /these runs show no size from which on a pool of threads answers more/)
  keepsFrom(broken, /answers more than the main thread from/)
  says(findingsOf('goroutines', at(10, [90], [170])), /^float, 10 users: a pool over the main thread, at 10 ms: 1\.89 times \(one run\)\.$/)
})

test('Go is ahead by kernel only where the ratio is told', () => {
  const findings = findingsOf('goroutines', [
    worked('node-pool', around(100)), worked('go-goroutines', around(104, 0.2)),
    ...[['json', 30], ['sort', 220]].flatMap(([kernel, rate]) => [worked('node-pool', around(100), { kernel }), worked('go-goroutines', around(Number(rate)), { kernel })])
  ])
  says(findings, /^Goroutines over a pool of threads, 10 ms, 10 users: Go answers more with sort 2\.20 times \(.*; Node\.js answers more with json 3\.33 times \(.*; float: cannot be told apart in these runs \(1\.03 times, .*\)\.$/)
  says(findings, /^float of 10 ms, 10 users: beside the pool a cheap request waits 5\.00 ms/)
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
  says(findings, /^A thread for each request over a pool of threads: float of 1 ms, 1 user: 0\.050\d* times/)
  says(findings, /costs one user 38\.0 ms a request/)
  says(findings, /Node\.js, none lost: atomics-add makes 11,000,000 .*\. Over the others: futex-mutex: cannot be told apart in these runs/)
  says(findings, /Go, none lost: atomic is the fastest and makes .* Over the others: mutex-map: 4\.1\d times .*\. Without a guard 30\.0 % of the updates are lost/)
  says(findings, /^Go's fastest counters over Node\.js' fastest: 4\.5\d times/)
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
  const [throughput, cpu, p99] = tables(document)
  assert.deepEqual(throughput.head, ['variant', 'trivial', 'work'])
  // Logarithms of 0.85, 0.9, 0.95: deviation 0.0556, so 4.303 * 0.0556 / sqrt(3) = 0.138 around -0.1066.
  assert.deepEqual(throughput.rows, [['loopwatch', '0.900 (0.783 to 1.03)', '1.00 (0.882 to 1.13)']])
  assert.match(cpu.rows[0][1], /^1\.11 \(/)
  assert.match(p99.rows[0][1], /^2\.22 \(/)
  const ofOneServer = tables({ ...document, cells: document.cells.filter(({ params }) => params.server === 'bare') })
  assert.deepEqual(ofOneServer.map(({ title }) => title), ['An idle server'])

  const sentences = (/** @type {'full' | 'default'} */ mode) => scenarioOf('overhead').findings({ ...document, mode })
  says(sentences('default'), /^With loopwatch the bare server, against unwatched\. Requests answered: 0\.900 times \(one run\); CPU time of each: 1\.11 times \(one run\); p99 latency: 2\.22 times \(one run\)\.$/)
  assert.deepEqual(sentences('full'), ['With loopwatch an idle server takes more. CPU: 2.00 % of a core (one run); memory: not measured; setting it up: not measured.'])
})
