'use strict'

const TRACEPARENT = 'traceparent'
/** Version, trace id, parent id, flags: https://www.w3.org/TR/trace-context/#traceparent-header */
const VERSION_CHARS = 3
const ID_CHARS = 32
const NO_ID = '0'.repeat(ID_CHARS)
const SPAN_ID_CHARS = 16
/** The flag of a sampled span. */
const SAMPLED = 1
/** Every copy of `@opentelemetry/api` registers itself under this symbol. */
const kApi = Symbol.for('opentelemetry.js.api.1')
/** A context of OpenTelemetry keeps its span under this key. */
const kSpan = Symbol.for('OpenTelemetry Context Key SPAN')

// Regular expressions would overwrite the application's RegExp.$1 in mid-block.

/** @param {unknown} id @returns {id is string} */
function isTraceId (id) {
  return isId(id, ID_CHARS) && id !== NO_ID
}

/** @param {unknown} id @param {number} chars @returns {id is string} */
function isId (id, chars) {
  if (typeof id !== 'string' || id.length !== chars) return false
  for (let i = 0; i < chars; i++) {
    const code = id.charCodeAt(i)
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false
  }
  return true
}

/** Reads `rawHeaders`, as Node.js builds `headers` at its first use. @param {{ rawHeaders: string[] }} request */
exports.traceIdOf = ({ rawHeaders }) => {
  const id = headerOf(rawHeaders, TRACEPARENT)?.slice(VERSION_CHARS, VERSION_CHARS + ID_CHARS)
  return isTraceId(id) ? id : null
}

/**
 * The span of a request's caller, null if there is none or it is not sampled. @param {{ rawHeaders: string[] }} request
 */
exports.callerOf = ({ rawHeaders }) => {
  const [, traceId, spanId, flags] = headerOf(rawHeaders, TRACEPARENT)?.split('-') ?? []
  if (!isTraceId(traceId) || !isId(spanId, SPAN_ID_CHARS) || (parseInt(flags, 16) & SAMPLED) === 0) return null
  return { traceId, spanId }
}

/** @param {string[]} rawHeaders @param {string} name in lower case @returns {string | undefined} */
function headerOf (rawHeaders, name) {
  if (!Array.isArray(rawHeaders)) return
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i].toLowerCase() === name) return rawHeaders[i + 1]
  }
}

/**
 * @typedef {{ traceId: string, spanId: string, isSampled: boolean, name: string }} ActiveSpan `name` is empty if the
 * span has ended, or only passes on its caller's ids
 */

exports.headerOf = headerOf
exports.kApi = kApi
exports.kSpan = kSpan
exports.SAMPLED = SAMPLED

/** The OpenTelemetry span that is active in the caller. Loads nothing, never throws. @returns {ActiveSpan | null} */
exports.activeSpan = () => {
  try {
    const api = /** @type {any} */ (globalThis)[kApi]
    const span = api?.context?.active().getValue(kSpan)
    const { traceId, spanId, traceFlags } = span?.spanContext() ?? {}
    if (!isTraceId(traceId) || typeof spanId !== 'string' || spanId.length !== SPAN_ID_CHARS) return null
    const name = typeof span.name === 'string' && span.isRecording() ? span.name : ''
    return { traceId, spanId, isSampled: (traceFlags & SAMPLED) !== 0, name }
  } catch {
    return null
  }
}
