'use strict'

// What the scenarios with servers say of their figures: never more than those do. And what they plan.
const test = require('node:test')
const assert = require('node:assert/strict')
const { contrast, times } = require('../../../scenarios/harness/report/contrast')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { ratioOf, summarise } = require('../../../scenarios/harness/measure/stats')
const { graceOf } = require('../../../scenarios/goroutines/plan')
const { around, documentOf, makeDocument } = require('../../support/scenario-document')

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

test('a ratio has Welch\'s interval, and is no verdict where the figures\' own intervals overlap', () => {
  const { ratio, ci95 } = /** @type {NonNullable<ReturnType<typeof ratioOf>>} */ (
    ratioOf([180, 200, 222.22], [90, 100, 111.11])
  )
  // Logarithms ±0.1054: variance 0.0037 each of three, 4 degrees of freedom, half = 2.776 * 0.0860 = 0.2389.
  assert.ok(Math.abs(ratio - 2) < 1e-3 && Math.abs(ci95[0] - 1.575) < 0.003 && Math.abs(ci95[1] - 2.54) < 0.003, `${ratio} ${ci95}`)
  assert.equal(ratioOf([1, 2], [1, 2, 3]), null)
  assert.equal(ratioOf([0, 1, 2], [1, 2, 3]), null)
  assert.deepEqual(ratioOf([2, 2, 2], [1, 1, 1])?.ci95, [2, 2])
  const [slow, fast, wide] = [around(100), around(150), around(120, 0.5)].map(summarise)
  assert.deepEqual([contrast(fast, slow), contrast(slow, fast), contrast(wide, slow), contrast(summarise([1, 2]), slow)], ['more', 'less', 'unclear', 'few'])
  assert.match(times(fast, slow), /^1\.50 times \(1\.4\d to 1\.5\d\)$/)
  assert.equal(times(summarise([150]), slow), '1.50 times')
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
  const open = findingsOf('cluster-http', [served('single', around(100, 0.4), 0.99), served('cluster', around(130, 0.4), 0.95)])
  says(open, /^cpu: a cluster of 2 or one process, no difference that matters \(the runs allow 0\.798 to 2\.12 times\); the one process answers 100 requests\/s/)
  keepsFrom(open, /helps,|harms/)
  says(findingsOf('cluster-http', [served('single', around(100), 0.99), served('cluster', around(80), 0.95)]), /^cpu: a cluster of 2 harms, 0\.80\d* times/)
  const once = findingsOf('cluster-http', [served('single', [100], 0.99), served('cluster', [180], 0.95)])
  says(once, /too few runs to tell/)
  keepsFrom(once, /helps,/)
})

test('where further connections alone do it, a pool is named and no cluster is asked for', () => {
  const database = { endpoint: 'database' }
  const given = (/** @type {number[]} */ pool, /** @type {number[]} */ cluster) => findingsOf('cluster-http', [served('single', around(100), 0.6, database), served('single-pool', pool, 0.95, database), served('cluster', cluster, 0.5, database)])
  const equal = given(around(160), around(162))
  says(equal, /^database: a pool of 2 connections in one process helps, 1\.60 times .*the connection was the limit, and nothing shows that a cluster would be needed\. The cluster over that pool: .*no difference that matters \(the runs allow 0\.9\d* to 1\.0\d times\)/)
  says(equal, /^database: a cluster of 2 helps, .*that process was not at its limit, its event loop active 60 % of the time, and further connections alone help as well/)
  const more = given(around(160), around(260))
  says(more, /the connection was the limit\. The cluster over that pool: 1\.6\d times/)
  const none = given(around(110, 0.4), around(260))
  says(none, /^database: a pool of 2 connections in one process or one connection, no difference that matters/)
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
  says(findings, /^What node:cluster itself costs, one worker over one process: cpu 0\.900 times/)
  says(findings, /^4 workers over as many as there are cores \(2\): cpu no difference that matters/)
  says(findings, /^The kernel chooses who accepts .*cpu 0\.66\d times/)
  says(findings, /^What the busiest worker answered, with SCHED_NONE over round robin: cpu 1\.45 times/)
  says(findings, /^New connections over kept ones, single: cpu 0\.60\d* times/)
  keepsFrom(findings, /kept ones, cluster/)
  says(findings, /^cpu, an open loop at 90 % of what one process can do \(90 requests due a second\): .*cluster \(2\) shortens it: 0\.25\d* times .*single-piscina \(2\) no difference that matters/)
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

test('threads pay from the size on from which they are faster at every size, and not where intervals overlap', () => {
  const at = (/** @type {number} */ workMs, /** @type {number[]} */ main, /** @type {number[]} */ pool) => [worked('node-main', main, { workMs }, around(workMs * 9)), worked('node-pool', pool, { workMs })]
  const sizes = [
    ...at(0.1, around(5000), around(3000)),
    ...at(1, around(800, 0.4), around(900, 0.4)),
    ...at(10, around(90), around(170)),
    ...at(100, around(9), around(18))
  ]
  const findings = findingsOf('goroutines', sizes)
  says(findings, /^float, 10 users: a pool of threads answers more than the main thread from 10 ms of work on; .*0\.60\d* times .*, at 0\.1 ms; no difference that matters \(the runs allow [^)]*\), at 1 ms; 1\.8\d times/)
  says(findings, /^float, 10 users: a cheap request waits less beside a pool of threads from 1 ms of work on; .*5\.56 times .*, at 0\.1 ms/)
  const broken = findingsOf('goroutines', [...sizes, ...at(1000, around(1, 0.4), around(1.2, 0.4))])
  says(broken, /these runs show no size from which on a pool of threads answers more/)
  keepsFrom(broken, /answers more than the main thread from/)
  keepsFrom(findingsOf('goroutines', at(10, [90], [170])), /answers more/)
})

test('Go is ahead by kernel only where intervals are apart', () => {
  const findings = findingsOf('goroutines', [
    worked('node-pool', around(100)), worked('go-goroutines', around(104, 0.2)),
    ...[['json', 30], ['sort', 220]].flatMap(([kernel, rate]) => [worked('node-pool', around(100), { kernel }), worked('go-goroutines', around(Number(rate)), { kernel })])
  ])
  says(findings, /^Goroutines over a pool of threads, 10 ms, 10 users: Go answers more with sort 2\.20 times \(.*; Node\.js answers more with json 3\.33 times \(.*; no difference that matters with float\./)
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
  says(findings, /^A thread for each request over a pool of threads: 0\.050\d* times .*float of 1 ms, 1 user/)
  says(findings, /costs one user 38\.0 ms a request/)
  says(findings, /Node\.js, none lost: atomics-add and futex-mutex, no difference that matters \(.*\), are the fastest\. atomics-add makes 11,000,000/)
  says(findings, /Go, none lost: atomic is the fastest\. .*4\.1\d times .* mutex-map\. Without a guard 30\.0 % of the updates are lost/)
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
  says(sentences('default'), /^With loopwatch the bare server, against unwatched: requests answered 0\.900 times, CPU time of each 1\.11 times, p99 latency 2\.22 times \(too few runs to tell\)\.$/)
  assert.deepEqual(sentences('full').map((sentence) => sentence.replace(/,.*/, '')), ['With loopwatch an idle server takes more: CPU 2.00 % of a core'])
})
