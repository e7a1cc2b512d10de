'use strict'

const { severityOf } = require('../../tables/causes')
const { sentenceOf } = require('../../util/sentence')
const { blockAttributes, stackText } = require('./block-attributes')
const { keyValues, nanos } = require('./values')

/** @import { BlockRecord, BlockSpan } from '../../types' */

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITIES = {
  info: { number: 9, text: 'INFO' },
  warn: { number: 13, text: 'WARN' },
  error: { number: 17, text: 'ERROR' }
}

const INTERNAL = 1
const UNSET = { code: 0 }
/** Flags of a span: sampled (1), it says whether its parent is remote (0x100), and the parent is remote (0x200). */
const LOCAL = 0x101
const REMOTE = 0x301

/** @typedef {'opened' | 'lasting' | 'stuck' | 'settled'} Phase */

/** The body is the log's sentence. @param {Phase} phase @param {BlockRecord} record @param {number} nowMs wall time */
exports.logRecord = (phase, record, nowMs) => {
  const { number: severityNumber, text: severityText } = SEVERITIES[phase === 'stuck' ? 'error' : severityOf(record)]
  const { work, request } = record
  const traceId = work?.traceId ?? request?.traceId ?? null
  const own = Object.entries(work?.attributes ?? {}).map(([name, value]) =>
    [`loopwatch.work.attributes.${name}`, value])
  const attributes = {
    'loopwatch.block.phase': phase,
    'loopwatch.block.started_at': record.startedAt,
    ...blockAttributes(record),
    'code.stacktrace': stackText(record),
    'loopwatch.work.id': work?.id,
    ...Object.fromEntries(own)
  }
  return {
    timeUnixNano: nanos(nowMs),
    observedTimeUnixNano: nanos(nowMs),
    severityNumber,
    severityText,
    eventName: 'loopwatch.block',
    body: { stringValue: sentenceOf(record) },
    attributes: keyValues(attributes),
    droppedAttributesCount: 0,
    ...(traceId !== null && { traceId }),
    ...(work?.spanId && { spanId: work.spanId, flags: Number(work.sampled === true) })
  }
}

/** @param {BlockSpan} span */
exports.otlpSpan = ({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, links }) => ({
  traceId,
  spanId,
  parentSpanId,
  flags: LOCAL,
  name,
  kind: INTERNAL,
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: keyValues(attributes),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: UNSET,
  links: links.map((link) => ({ ...link, flags: REMOTE, attributes: [], droppedAttributesCount: 0 })),
  droppedLinksCount: 0
})
