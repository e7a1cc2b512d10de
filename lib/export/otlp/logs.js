'use strict'

const { severityOf } = require('../../tables/causes')
const { sentenceOf } = require('../../util/sentence')
const { blockAttributes, stackText } = require('./block-attributes')
const { keyValues, nanos } = require('./values')

/** @import { BlockRecord } from '../../types' */

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITIES = { info: { number: 9, text: 'INFO' }, warn: { number: 13, text: 'WARN' }, error: { number: 17, text: 'ERROR' } }

/** @typedef {'opened' | 'lasting' | 'stuck' | 'settled'} Phase */

/** The log's sentence is the body. @param {Phase} phase @param {BlockRecord} record @param {number} nowMs wall time */
exports.logRecord = (phase, record, nowMs) => {
  const { number: severityNumber, text: severityText } = SEVERITIES[phase === 'stuck' ? 'error' : severityOf(record)]
  const { work, request } = record
  const traceId = work?.traceId ?? request?.traceId ?? null
  const own = Object.entries(work?.attributes ?? {}).map(([name, value]) => [`loopwatch.work.attributes.${name}`, value])
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
