'use strict'

const { keyValues, nanos } = require('./values')

/** @import { BlockSpan } from '../../types' */

const INTERNAL = 1
const UNSET = { code: 0 }
/** Flags: sampled, and it is known whether the span or its parent is of another process. */
const LOCAL = 0x101
const REMOTE = 0x301

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
