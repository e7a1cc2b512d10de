'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const http2 = require('node:http2')
const path = require('node:path')
const { OtlpExporter } = require('../../../../lib/export/otlp/exporter')
const { logRecord } = require('../../../../lib/export/otlp/block-signals')
const { otlpSettings } = require('../../../../lib/options/otlp')
const { nowMs } = require('../../../../lib/util/clock')
const { eventually } = require('../../../support/app')
const { makeDir } = require('../../../support/files')
const { logsIn, metricsIn, plain, spansIn, startOtlpReceiver } = require('../../../support/lib/otlp')
const { fill, makeMetrics } = require('../../../support/metrics')
const { makeRecord } = require('../../../support/record')

/**
 * @param {import('node:test').TestContext} t
 * @param {import('../../../../lib/options/otlp').OtlpSettings} settings
 * @param {Record<string, string>} [labels] @param {() => Promise<import('../../../../lib/types').Metric[]>} [snapshot]
 */
function startExporter (t, settings, labels = {}, snapshot = undefined) {
  const made = makeMetrics({ labels })
  /** @type {(string | undefined)[]} */
  const states = []
  /** @type {Record<string, number>} */
  const lost = {}
  const exporter = new OtlpExporter({
    settings,
    labels,
    isWorker: false,
    snapshot: snapshot ?? (() => made.metrics.snapshot()),
    nowMs,
    onState: (error) => states.push(error?.message),
    onLost: (reason, count) => { lost[reason] = (lost[reason] ?? 0) + count },
    delayMs: 5,
    retryMs: 5
  })
  t.after(() => exporter.stop())
  return { exporter, states, lost, ...made }
}

/** Only what a test is about. @param {...string} signals that are sent */
const only = (...signals) => Object.fromEntries(['TRACES', 'METRICS', 'LOGS'].filter((name) => !signals.includes(name))
  .map((name) => [`OTEL_${name}_EXPORTER`, 'none']))

const span = {
  traceId: 'a'.repeat(32),
  spanId: '1'.repeat(16),
  parentSpanId: '2'.repeat(16),
  name: 'event_loop_blocked',
  startMs: Date.parse('2026-11-21T10:00:00.123Z'),
  endMs: Date.parse('2026-11-21T10:00:00.123Z') + 312.4,
  attributes: { 'loopwatch.block.cause': 'js', 'code.line.number': 41, none: null },
  links: [{ traceId: 'b'.repeat(32), spanId: '3'.repeat(16) }]
}

test('the error for a gRPC endpoint names the usual port for HTTP', async (t) => {
  const server = http2.createServer()
  /** @type {import('node:net').Socket[]} */
  const sockets = []
  server.on('connection', (socket) => sockets.push(socket.on('error', () => {})))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const { exporter, states } = startExporter(t, otlpSettings(`http://127.0.0.1:${port}`, only('LOGS')))
  exporter.opened(makeRecord({}))
  await eventually(() => states.length > 0, 'a failure')
  assert.match(`${states[0]}`, /^logs: 127\.0\.0\.1:\d+: .* HTTP\/1\.1\. Is this the gRPC port \(4317\)\? OTLP over HTTP usually uses 4318$/)
})

test('blocks arrive as log records, zipped, with their place, evidence, work and trace', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const { exporter, states } = startExporter(t, settings({ ...only('LOGS'), OTEL_SERVICE_NAME: 'checkout', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k' }), { env: 'prod' })
  const work = { kind: /** @type {const} */ ('job'), name: 'email', id: '7', parent: null, startedAt: null, attributes: { tenant: 'acme' }, traceId: 'a'.repeat(32), spanId: '2'.repeat(16), sampled: true, ended: false }
  exporter.opened(makeRecord({ ongoing: true, durationMs: 60, work }))
  const query = { text: 'SELECT ?', durationMs: 290, count: 1, totalMs: 290 }
  exporter.settled(makeRecord({ work, query, package: { name: 'slow', version: '1.0.0', bugs: null } }))
  await eventually(() => logsIn(got).length === 2, 'two log records')
  const [{ url, headers, bytes, body }] = got
  assert.deepEqual([url, headers['content-type'], headers['content-encoding'], headers['api-key']], ['/v1/logs', 'application/json', 'gzip', 'k'])
  assert.ok(bytes < JSON.stringify(body).length / 2, `${bytes}`)
  const resource = plain(body.resourceLogs[0].resource.attributes)
  assert.deepEqual([resource['service.name'], resource.env, resource['process.pid']], ['checkout', 'prod', process.pid])
  const [opened, settled] = logsIn(got)
  assert.deepEqual([opened.plain['loopwatch.block.phase'], opened.plain['loopwatch.block.ongoing'], opened.severityText], ['opened', true, 'WARN'])
  assert.match(settled.body.stringValue, /^event loop was blocked for 312 ms: report \(.*report\.js:41\), in slow@1\.0\.0, job email of GET \/report\/:id \(js\), statement \(290 ms\): SELECT \?$/)
  assert.deepEqual([settled.traceId, settled.spanId, settled.flags], [work.traceId, work.spanId, 1])
  const expected = {
    'loopwatch.block.id': '4242-1',
    'loopwatch.block.cause': 'js',
    'loopwatch.block.duration_ms': 312.4,
    'loopwatch.block.started_at': '2026-11-21T10:00:00.123Z',
    'code.function.name': 'report',
    'code.file.path': '/srv/app/report.js',
    'code.line.number': 41,
    'loopwatch.package.name': 'slow',
    'db.system.name': 'sqlite',
    'db.query.text': 'SELECT ?',
    'loopwatch.evidence.cpu_ms': 309,
    'loopwatch.work.name': 'email',
    'loopwatch.work.attributes.tenant': 'acme',
    'http.route': '/report/:id'
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(settled.plain[name], value, name)
  assert.deepEqual(settled.attributes.find((/** @type {any} */ { key }) => key === 'loopwatch.evidence.cpu_ms').value, { doubleValue: 309 }, 'a time is a double, also a whole one')
  await eventually(() => states.length === 1 && states[0] === undefined, () => `all to be well: ${states}`)
})

test('spans have their true times, parent and links', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const { exporter } = startExporter(t, settings(only('TRACES')))
  assert.equal(exporter.hasSpans, true)
  exporter.span(span)
  const [sent] = await eventually(() => spansIn(got).length === 1 && spansIn(got), 'the span')
  const { traceId, spanId, parentSpanId, name } = span
  assert.deepEqual([sent.traceId, sent.spanId, sent.parentSpanId, sent.name], [traceId, spanId, parentSpanId, name])
  assert.equal(sent.kind, 1)
  assert.deepEqual([sent.startTimeUnixNano, sent.endTimeUnixNano], ['1795255200123000000', '1795255200435400000'])
  assert.deepEqual(sent.plain, { 'loopwatch.block.cause': 'js', 'code.line.number': 41 })
  assert.deepEqual(sent.links.map((/** @type {any} */ link) => [link.traceId, link.spanId]), [['b'.repeat(32), '3'.repeat(16)]])
})

test('metrics say the same as /metrics, under our names and the standard ones', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const made = startExporter(t, settings({ ...only('METRICS'), OTEL_METRIC_EXPORT_INTERVAL: '20' }), { env: 'prod' })
  fill(made)
  for (const ms of [0.5, 0.5, 2, 2000]) made.host.delays.record(ms)
  made.metrics.observeGc('minor', 3)
  made.metrics.requestSeries('/a', 'GET', '2xx').observe(0.02)
  made.metrics.requestSeries('/a', '(other)', '5xx').observe(20)
  const sent = await eventually(() => metricsIn(got)['v8js.gc.duration'] && metricsIn(got), 'metrics')
  const samples = await made.samples()
  for (const name of ['loopwatch_blocked_seconds_total', 'loopwatch_build_info', 'loopwatch_http_requests_in_flight']) {
    const metric = sent[name]
    const points = (metric.sum ?? metric.gauge).dataPoints
      .map((/** @type {any} */ { attributes, asDouble }) => [{ ...plain(attributes), env: 'prod' }, asDouble])
    const same = samples.filter((sample) => sample.name === name)
    assert.deepEqual(points, same.map(({ labels, value }) => [labels, value]), name)
  }
  assert.equal(sent.loopwatch_blocked_seconds_total.sum.isMonotonic, true)
  assert.equal(sent.loopwatch_blocked_seconds_total.unit, 's')
  const requests = sent['http.server.request.duration'].histogram
  assert.equal(requests.aggregationTemporality, 2)
  const [ok, failed] = requests.dataPoints
    .filter((/** @type {any} */ { attributes }) => plain(attributes)['http.route'] === '/a')
  assert.deepEqual(plain(ok.attributes), { 'http.request.method': 'GET', 'http.route': '/a', 'loopwatch.http.status_class': '2xx' })
  const { explicitBounds: bounds, bucketCounts: counts } = ok
  assert.deepEqual([bounds.slice(0, 4), counts.slice(0, 4)], [[0.005, 0.01, 0.025, 0.05], [0, 0, 1, 0]])
  assert.deepEqual([counts.length, ok.count, ok.sum], [bounds.length + 1, 1, 0.02])
  assert.deepEqual([plain(failed.attributes)['http.request.method'], plain(failed.attributes)['error.type'], failed.bucketCounts.at(-1)], ['_OTHER', '5xx', 1])
  assert.ok(plain(sent['v8js.gc.duration'].histogram.dataPoints[0].attributes)['v8js.gc.type'])
  assert.equal(sent['nodejs.eventloop.time'].sum.dataPoints.length, 2)
})

test('a block is as severe as in the log', () => {
  const severityOf = (/** @type {object} */ differences) => logRecord('settled', makeRecord(differences), 0).severityText
  assert.equal(severityOf({}), 'WARN')
  assert.equal(severityOf({ threadId: 3, thread: 'pool' }), 'INFO')
  assert.equal(severityOf({ evidence: { ...makeRecord().evidence, ownMs: 300 } }), 'ERROR')
})

test('delay and utilization are of the time since the last reading', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const { host } = startExporter(t, settings({ ...only('METRICS'), OTEL_METRIC_EXPORT_INTERVAL: '30' }))
  for (let i = 0; i < 99; i++) host.delays.record(0.5)
  host.delays.record(2000)
  const valueOf = (/** @type {string} */ name) => metricsIn(got)[name]?.gauge.dataPoints[0].asDouble
  await eventually(() => got.length === 1, 'the first reading')
  assert.ok(Math.abs(valueOf('nodejs.eventloop.delay.mean') - (99 * 0.0005 + 2) / 100) < 1e-9)
  assert.ok(valueOf('nodejs.eventloop.delay.p50') <= 0.001 && valueOf('nodejs.eventloop.delay.p99') <= 0.001)
  assert.equal(valueOf('nodejs.eventloop.delay.max'), 2.5, 'its bucket ends there')
  assert.equal(valueOf('nodejs.eventloop.utilization'), 0.15)
  // Added to 8.5 s of idle time these round to what would make less than 1 of a loop that was busy all the time.
  host.loop.activeMs += 100.3
  const count = got.length
  await eventually(() => got.length > count + 1, 'further readings')
  // Without a timer there is no delay to tell, and the loop did nothing but be active.
  const utilizations = got.map((each) => metricsIn([each])['nodejs.eventloop.utilization']?.gauge.dataPoints[0].asDouble)
  assert.ok(utilizations.includes(1), `${utilizations}`)
  assert.equal(valueOf('nodejs.eventloop.delay.mean'), undefined)
})

test('a receiver that is away, busy or in trouble gets everything later, once; meanwhile it is degraded', async (t) => {
  const statuses = [503, 429, 502, 504]
  const { got, settings } = await startOtlpReceiver(t, (_, count) => ({ status: statuses[count] ?? 200 }))
  const { exporter, states, lost } = startExporter(t, settings(only('TRACES')))
  exporter.span(span)
  await eventually(() => states.includes(undefined), () => `it to recover: ${states}`)
  assert.equal(got.length, 5)
  assert.deepEqual(states.map((state) => state?.replace(/.*answered /, '')), ['503', '429', '502', '504', undefined])
  exporter.span({ ...span, spanId: '4'.repeat(16) })
  await eventually(() => got.length === 6, 'the next span')
  assert.deepEqual([spansIn([got[5]]).length, lost], [1, {}])
})

test('Retry-After is kept to', async (t) => {
  /** @type {number[]} */
  const cameAtMs = []
  const { settings } = await startOtlpReceiver(t, () => {
    cameAtMs.push(performance.now())
    return cameAtMs.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : {}
  })
  const { exporter } = startExporter(t, settings(only('TRACES')))
  exporter.span(span)
  await eventually(() => cameAtMs.length === 2, 'the second try')
  assert.ok(cameAtMs[1] - cameAtMs[0] > 900, String(cameAtMs))
})

test('what a receiver refuses for good, or answers with nonsense, is counted as lost and not sent again', async (t) => {
  /** @type {import('../../../support/lib/otlp').Answer[]} */
  const answers = [
    { status: 400 }, { status: 302, headers: { location: '/elsewhere' } }, { text: '<html>', headers: { 'content-type': 'text/html' } }, { text: 'null' },
    { text: JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }) }, { text: '' }
  ]
  const { got, settings } = await startOtlpReceiver(t, (_, count) => answers[count])
  const { exporter, states, lost } = startExporter(t, settings(only('TRACES')))
  for (let i = 0; i < answers.length; i++) {
    exporter.span(span)
    await eventually(() => states.length === i + 1, `answer ${i}`)
  }
  assert.deepEqual([got.length, lost], [6, { otlp_span: 5 }])
  assert.deepEqual(states.map((state) => state?.replace(/127\.0\.0\.1:\d+ /, '')), [
    'traces: answered 400', 'traces: answered 302', 'traces: sent a response that is not OTLP', 'traces: sent a response that is not OTLP',
    'traces: rejected 1: too old', undefined
  ])
})

test('an answer without end, a slow receiver and none at all cost no more than what does not fit the queue', async (t) => {
  const { got, settings } = await startOtlpReceiver(t, (_, count) => count === 0 ? { isSilent: true } : { text: 'x'.repeat(1e6) })
  const { exporter, states, lost } = startExporter(t, settings({ ...only('TRACES'), OTEL_EXPORTER_OTLP_TIMEOUT: '100' }))
  exporter.span(span)
  await eventually(() => /too long/.test(`${states.at(-1)}`) && got.length >= 2, () => `two failures: ${states}`)
  assert.match(`${states[0]}`, /no response within 100 ms/)
  assert.deepEqual(lost, {})
  const alone = startExporter(t, otlpSettings('http://127.0.0.1:9', only('TRACES')))
  for (let i = 0; i < 1500; i++) alone.exporter.span(span)
  await eventually(() => alone.states.length > 0, 'a failure')
  assert.match(`${alone.states[0]}`, /traces: 127\.0\.0\.1:9: .*ECONNREFUSED/)
  assert.deepEqual(alone.lost, { otlp_span: 500 })
  const startMs = performance.now()
  await alone.exporter.stop()
  assert.ok(performance.now() - startMs < 10_000, 'it does not wait for the timeout')
})

test('a burst of blocks is exported as far as it is logged, and the rest is counted', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const { exporter, lost } = startExporter(t, settings(only('LOGS')))
  for (let i = 0; i < 100; i++) exporter.settled(makeRecord({ id: `1-${i}` }))
  exporter.settled(makeRecord({ id: '1-allowed', allowed: 'a report' }))
  exporter.settled(makeRecord({ id: '1-long', durationMs: 5000 }))
  await exporter.stop()
  const ids = logsIn(got).map(({ plain: { 'loopwatch.block.id': id } }) => id)
  assert.ok(ids.includes('1-long') && !ids.includes('1-allowed'))
  assert.equal(ids.length - 1 + lost.otlp_suppressed, 100)
  assert.ok(ids.length < 20, `${ids.length}`)
})

test('one signal in trouble is reported until all is well; a wrong endpoint of one stays a reason', async (t) => {
  const { settings } = await startOtlpReceiver(t, ({ url }, count) => ({ status: url === '/v1/logs' && count < 3 ? 503 : 200 }))
  const { exporter, states } = startExporter(t, { ...settings(only('LOGS', 'TRACES')), faults: ['http/json is sent'] })
  assert.deepEqual(states, ['http/json is sent'])
  exporter.span(span)
  exporter.settled(makeRecord())
  await eventually(() => states.at(-1) === undefined && states.some((state) => /^logs: /.test(`${state}`)), () => `recovery: ${states}`)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }
  const broken = startExporter(t, otlpSettings(true, env))
  assert.deepEqual([broken.states, broken.exporter.hasSpans], [['OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that starts with http:// or https://'], false])
})

test('an exporter that stops has sent all', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  const { exporter } = startExporter(t, settings())
  for (let i = 0; i < 500; i++) exporter.span(span)
  exporter.settled(makeRecord())
  await exporter.stop()
  assert.deepEqual([spansIn(got).length, logsIn(got).length, 'loopwatch_build_info' in metricsIn(got)], [500, 1, true])
})

/** Each thread of libuv's pool opens a pipe that nobody writes to. @param {import('node:test').TestContext} t */
function fillThreadPool (t) {
  /** @type {Promise<unknown>[]} */
  let opened = []
  let pipe = ''
  // Before makeDir(): hooks run in this order.
  t.after(async () => {
    fs.closeSync(fs.openSync(pipe, 'r+'))
    await Promise.all(opened)
  })
  pipe = path.join(makeDir(t), 'pipe')
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  opened = Array.from({ length: 4 }, () => new Promise((resolve) => { fs.open(pipe, 'r', resolve) }))
}

test('exports arrive while the thread pool is full, at an address and at localhost', async (t) => {
  fillThreadPool(t)
  for (const host of ['127.0.0.1', 'localhost']) {
    const { got, url } = await startOtlpReceiver(t)
    const { exporter, states } = startExporter(t, otlpSettings(url.replace('127.0.0.1', host), only('LOGS')))
    // More than is compressed in one step.
    for (let i = 0; i < 15; i++) exporter.stuck(makeRecord({ id: `${i}${'x'.repeat(20_000)}` }))
    await eventually(() => states.length > 0, 'an answer')
    assert.deepEqual([states, logsIn(got).length, got[0].headers['content-encoding']], [[undefined], 15, 'gzip'])
  }
})

test('a receiver whose name cannot be looked up, as the thread pool is full, is reported as degraded', async (t) => {
  fillThreadPool(t)
  const { exporter, states } = startExporter(t, otlpSettings('http://collector.invalid:1', { ...only('TRACES'), OTEL_EXPORTER_OTLP_TIMEOUT: '100' }))
  exporter.span(span)
  await eventually(() => states.length > 0, 'a failure')
  assert.equal(states[0], 'traces: collector.invalid:1: no response within 100 ms')
})

test('metrics that cannot be read are reported as degraded and read again', async (t) => {
  const { got, settings } = await startOtlpReceiver(t)
  let reads = 0
  const { states } = startExporter(t, settings({ ...only('METRICS'), OTEL_METRIC_EXPORT_INTERVAL: '20' }), {}, async () => {
    if (++reads === 1) throw new Error('no metrics')
    return []
  })
  await eventually(() => got.length > 0 && states.at(-1) === undefined, () => `metrics: ${states}`)
  assert.equal(states[0], 'metrics: no metrics')
})
