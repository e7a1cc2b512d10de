'use strict'

const { version } = require('../../../package.json')

/** @import { BlockSpan } from '../../types' */

/** Where any copy of @opentelemetry/api registers itself, and the key under which a context keeps its span. */
const kApi = Symbol.for('opentelemetry.js.api.1')
const kSpan = Symbol.for('OpenTelemetry Context Key SPAN')
const INTERNAL = 0
const SAMPLED = 1

/** Written with the application's tracer provider. Its errors are not ours. @param {BlockSpan} span */
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
