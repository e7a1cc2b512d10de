'use strict'

// The Collector is built once, into node_modules/.cache: 95 s of CPU time, a minute on two cores and 70 MB to fetch.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { startNode, eventually } = require('../support/app')
const { startCollector } = require('../support/collector')
const { logsIn, metricsIn, plain, spansIn } = require('../support/lib/otlp')

test('with the application stuck in an endless loop a real Collector has its metrics, its block and the span', { timeout: 600_000 }, async (t) => {
  const collector = await startCollector(t)
  if (collector === null) return
  const { url: otlp, got } = collector
  const app = startNode(t, ['traced-app.js'], {
    env: { TRACED_OPTIONS: JSON.stringify({ otlp }), OTEL_METRIC_EXPORT_INTERVAL: '500', OTEL_SERVICE_NAME: 'checkout' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const [{ url, port }] = await once(app.child, 'message')
  // On a busy machine the watchdog may come too late to see a span in a block.
  const settled = await eventually(async () => {
    await fetch(`http://127.0.0.1:${port}/block?ms=300`)
    return logsIn(got()).find(({ plain: at, spanId }) => at['loopwatch.block.phase'] === 'settled' && at['code.function.name'] === 'spin' && spanId)
  }, () => `the ended block; ${app.out.stdout}`)
  const records = /** @type {any[]} */ (await (await fetch(`${url}/blocks`)).json())
  const record = records.find(({ id }) => id === settled.plain['loopwatch.block.id'])
  assert.deepEqual(
    ['loopwatch.block.duration_ms', 'loopwatch.block.cause', 'code.line.number', 'http.route'].map((name) => settled.plain[name]),
    [record.durationMs, record.cause, `${record.frame.line}`, record.request.route])
  assert.deepEqual([settled.traceId, settled.spanId], [record.work.traceId, record.work.spanId])
  const span = await eventually(() => spansIn(got()).find(({ plain: at }) => at['loopwatch.block.id'] === record.id), 'its span')
  assert.deepEqual([span.traceId, span.parentSpanId, span.name], [record.work.traceId, record.work.spanId, 'event_loop_blocked'])
  const startNs = BigInt(Date.parse(record.startedAt)) * 1_000_000n
  const endNs = startNs + BigInt(Math.round(record.durationMs * 10)) * 100_000n
  assert.deepEqual([BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)], [startNs, endNs])

  fetch(`http://127.0.0.1:${port}/forever`).catch(() => {}) // answered by nobody
  const lasting = await eventually(() => logsIn(got()).find(({ plain: at }) => at['loopwatch.block.phase'] === 'lasting' && at['loopwatch.block.duration_ms'] > 4900), 'a line of progress')
  assert.deepEqual([lasting.plain['code.function.name'], lasting.plain['http.route']], ['spin', '/forever'])
  const ongoing = await eventually(() => spansIn(got()).find(({ plain: at }) => at['loopwatch.block.ongoing']), 'the span of what lasts')
  assert.equal(ongoing.traceId, lasting.traceId)
  assert.ok(Number(BigInt(ongoing.endTimeUnixNano) - BigInt(ongoing.startTimeUnixNano)) > 4.9e9)

  /** @param {Record<string, any>} metrics @param {string} name */
  const valueOf = (metrics, name) => metrics[name].gauge.dataPoints[0].asDouble
  const before = metricsIn(got())
  await eventually(() => valueOf(metricsIn(got()), 'loopwatch_block_in_progress_seconds') > valueOf(before, 'loopwatch_block_in_progress_seconds') + 0.5, 'the gauge to grow')
  const last = got().filter(({ body }) => body.resourceMetrics).at(-1)?.body.resourceMetrics[0]
  assert.equal(plain(last.resource.attributes)['service.name'], 'checkout')
  assert.equal(valueOf(metricsIn(got()), 'nodejs.eventloop.utilization'), 1)
  const requests = metricsIn(got())['http.server.request.duration'].histogram.dataPoints
  assert.equal(plain(requests[0].attributes)['http.route'], '/block')
  assert.ok(Number(requests[0].count) >= 1)
  await eventually(async () => /loopwatch_degraded\{reason="otlp"\} 0/.test(await (await fetch(`${url}/metrics`)).text()), 'all to be well')
})
