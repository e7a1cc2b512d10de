'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ValueType } = require('@opentelemetry/api')
const { JsonLogsSerializer, JsonMetricsSerializer, JsonTraceSerializer } = require('@opentelemetry/otlp-transformer')
const { AggregationTemporality, DataPointType } = require('@opentelemetry/sdk-metrics')
const { OtlpExporter } = require('../../lib/export/otlp/exporter')
const { nowMs } = require('../../lib/util/clock')
const { eventually } = require('../support/app')
const { plain, startOtlpReceiver } = require('../support/lib/otlp')
const { fill, makeMetrics } = require('../support/metrics')
const { makeRecord } = require('../support/record')

const TRACE = 'a'.repeat(32)
const SAMPLED = 1

/** @param {string} nanos @returns {[number, number]} as OpenTelemetry's packages have it: seconds and nanoseconds */
const hrTime = (nanos) => [Number(BigInt(nanos) / 1_000_000_000n), Number(BigInt(nanos) % 1_000_000_000n)]

/** @param {{ serializeRequest: (value: any) => any }} serializer @param {unknown} value */
const official = (serializer, value) => JSON.parse(Buffer.from(serializer.serializeRequest(value)).toString())

/** Times of records are doubles, also whole ones, which OpenTelemetry's packages do not know. @param {unknown} body */
const withoutTypes = (body) => JSON.parse(JSON.stringify(body, (key, value) =>
  key === 'value' && 'doubleValue' in value ? { intValue: value.doubleValue } : value))

/** @param {import('node:test').TestContext} t */
async function start (t) {
  const { got, settings } = await startOtlpReceiver(t)
  const made = makeMetrics()
  fill(made)
  const exporter = new OtlpExporter({
    settings: settings({ OTEL_RESOURCE_ATTRIBUTES: 'team=web' }),
    labels: { service: 'checkout' },
    isWorker: false,
    snapshot: () => made.metrics.snapshot(),
    nowMs,
    onState: () => {},
    onLost: () => {},
    delayMs: 1
  })
  t.after(() => exporter.stop())
  /** @param {string} kind */
  const bodyOf = (kind) => eventually(() => got.find(({ body }) => kind in body)?.body, kind)
  return { exporter, bodyOf }
}

/** What the packages are given for the resource and scope of a request. @param {any} resource @param {any} scope */
const origin = ({ attributes }, scope) =>
  ({ resource: { attributes: plain(attributes) }, instrumentationScope: scope, scope })

test("log records are encoded as OpenTelemetry's own transformer does it", async (t) => {
  const { exporter, bodyOf } = await start(t)
  const work = { kind: /** @type {const} */ ('job'), name: 'email', id: '7', parent: null, startedAt: null, attributes: { tenant: 'acme', attempt: 2.5 }, traceId: TRACE, spanId: '2'.repeat(16), sampled: true, ended: false }
  exporter.settled(makeRecord({ work }))
  exporter.stuck(makeRecord({ request: null }))
  const body = await bodyOf('resourceLogs')
  const [{ resource, scopeLogs: [{ scope, logRecords }] }] = body.resourceLogs
  assert.equal(logRecords.length, 2)
  const from = origin(resource, scope)
  const records = logRecords.map((/** @type {any} */ record) => ({
    ...from,
    hrTime: hrTime(record.timeUnixNano),
    hrTimeObserved: hrTime(record.observedTimeUnixNano),
    severityNumber: record.severityNumber,
    severityText: record.severityText,
    eventName: record.eventName,
    body: record.body.stringValue,
    attributes: plain(record.attributes),
    droppedAttributesCount: 0,
    ...(record.spanId && { spanContext: { traceId: TRACE, spanId: work.spanId, traceFlags: SAMPLED } })
  }))
  assert.deepEqual(withoutTypes(body), withoutTypes(official(JsonLogsSerializer, records)))
})

test("spans are encoded as OpenTelemetry's own transformer does it", async (t) => {
  const { exporter, bodyOf } = await start(t)
  const startMs = Date.parse('2026-11-21T10:00:00.123Z')
  const links = [{ traceId: 'b'.repeat(32), spanId: '3'.repeat(16) }]
  const attributes = { 'loopwatch.block.cause': 'js', 'loopwatch.block.duration_ms': 312.4, 'code.line.number': 41, startup: true }
  const span = { traceId: TRACE, spanId: '1'.repeat(16), parentSpanId: '2'.repeat(16), name: 'event_loop_blocked', startMs, endMs: startMs + 312.4, attributes, links }
  exporter.span(span)
  const body = await bodyOf('resourceSpans')
  const [{ resource, scopeSpans: [{ scope }] }] = body.resourceSpans
  const readable = {
    ...origin(resource, scope),
    spanContext: () => ({ traceId: TRACE, spanId: span.spanId, traceFlags: SAMPLED }),
    parentSpanContext: { traceId: TRACE, spanId: span.parentSpanId, traceFlags: SAMPLED },
    name: span.name,
    kind: 0,
    startTime: [startMs / 1000 | 0, 123_000_000],
    endTime: [startMs / 1000 | 0, 435_400_000],
    attributes,
    links: links.map((link) => ({ context: { ...link, traceFlags: SAMPLED, isRemote: true } })),
    events: [],
    status: { code: 0 },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0
  }
  assert.deepEqual(body, official(JsonTraceSerializer, [readable]))
})

/** A metric as OpenTelemetry's SDK has it. @param {any} metric of ours */
function readableMetric ({ name, description, unit, sum, gauge, histogram }) {
  const { dataPoints, isMonotonic } = sum ?? gauge ?? histogram
  return {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: sum ? DataPointType.SUM : gauge ? DataPointType.GAUGE : DataPointType.HISTOGRAM,
    isMonotonic,
    dataPoints: dataPoints.map((/** @type {any} */ { bucketCounts: counts, explicitBounds: boundaries, ...point }) => ({
      attributes: plain(point.attributes),
      startTime: hrTime(point.startTimeUnixNano),
      endTime: hrTime(point.timeUnixNano),
      value: point.asDouble ?? { buckets: { counts, boundaries }, count: point.count, sum: point.sum }
    }))
  }
}

test("metrics are encoded as OpenTelemetry's own transformer does it, but for exemplars, which it has not", async (t) => {
  const { exporter, bodyOf } = await start(t)
  exporter.stop()
  const body = await bodyOf('resourceMetrics')
  const [{ resource, scopeMetrics: [{ scope, metrics }] }] = body.resourceMetrics
  assert.ok(metrics.length > 20, `${metrics.length}`)
  const isOf = (/** @type {string} */ kind) => (/** @type {any} */ metric) => kind in metric
  const kinds = ['sum', 'gauge', 'histogram'].map((kind) => metrics.filter(isOf(kind)).length)
  assert.ok(kinds.every((count) => count > 3), `${kinds}`)
  const { resource: read } = origin(resource, scope)
  const readable = { resource: read, scopeMetrics: [{ scope, metrics: metrics.map(readableMetric) }] }
  const ours = JSON.parse(JSON.stringify(body, (key, value) => key === 'exemplars' ? undefined : value))
  assert.notDeepEqual(ours, body, 'some block has an exemplar')
  assert.deepEqual(ours, official(JsonMetricsSerializer, readable))
})
