'use strict'

const { keyValues, nanos } = require('./values')

const INTERNAL = 1
const UNSET = { code: 0 }
/** Of the flags of a link: it is sampled. */
const SAMPLED = 1

/** @typedef {import('../../types').BlockSpan} BlockSpan */

/** @param {BlockSpan} span */
exports.otlpSpan = ({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, links }) => ({
  traceId,
  spanId,
  parentSpanId,
  flags: SAMPLED,
  name,
  kind: INTERNAL,
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: keyValues(attributes),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: UNSET,
  links: links.map((link) => ({ ...link, flags: SAMPLED, attributes: [], droppedAttributesCount: 0 })),
  droppedLinksCount: 0
})
