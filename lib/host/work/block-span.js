'use strict'

const { version } = require('../../../package.json')
const { kApi, kSpan, SAMPLED } = require('./http/trace-id')

/** @import { BlockSpan } from '../../types' */

/** The kind of a span that is neither a request's nor a message's. */
const INTERNAL = 0

/** Writes a span with the application's tracer provider. @param {BlockSpan} span */
exports.writeBlockSpan = ({ traceId, parentSpanId, name, startMs, endMs, attributes, links }) => {
  try {
    const api = /** @type {any} */ (globalThis)[kApi]
    const tracer = api?.trace?.getTracer('loopwatch', version)
    const active = api?.context?.active()
    if (!tracer || !active) return
    const parent = { traceId, spanId: parentSpanId, traceFlags: SAMPLED }
    const context = active.setValue(kSpan, { spanContext: () => parent })
    const linked = links.map((link) => ({ context: { ...link, traceFlags: SAMPLED, isRemote: true } }))
    const span = tracer.startSpan(name, { kind: INTERNAL, startTime: startMs, attributes, links: linked }, context)
    span.end(endMs)
  } catch {
    // A provider that does not work is the application's to mend.
  }
}
