'use strict'

const { excuseOf } = require('../../tables/causes')
const { sentenceOf } = require('../../util/sentence')
const { blockAttributes, stackText } = require('./block-attributes')
const { keyValues, nanos } = require('./values')

/** @import { BlockRecord } from '../../types' */

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITIES = { info: { number: 9, text: 'INFO' }, warn: { number: 13, text: 'WARN' }, error: { number: 17, text: 'ERROR' } }
const SAMPLED = 1

/** @typedef {'opened' | 'lasting' | 'stuck' | 'settled'} Phase */

/** As in the log. @param {Phase} phase @param {BlockRecord} record @returns {keyof typeof SEVERITIES} */
function levelOf (phase, { cause, startup, allowed }) {
  if (phase === 'stuck') return 'error'
  return excuseOf(cause) !== undefined || startup || allowed ? 'info' : 'warn'
}

/** The log's sentence is the body. @param {Phase} phase @param {BlockRecord} record @param {number} nowMs wall time */
exports.logRecord = (phase, record, nowMs) => {
  const { number: severityNumber, text: severityText } = SEVERITIES[levelOf(phase, record)]
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
    ...(work?.spanId && { spanId: work.spanId, flags: work.sampled ? SAMPLED : 0 })
  }
}
