'use strict'

const HEADER = 'traceparent'
/** version, trace id, parent id, flags: https://www.w3.org/TR/trace-context/#traceparent-header */
const VERSION_CHARS = 3
const ID_CHARS = 32
const NO_ID = '0'.repeat(ID_CHARS)

// No regular expression: this runs in mid-block, where it would overwrite the application's RegExp.$1.

/** @param {unknown} id @returns {id is string} */
function isTraceId (id) {
  if (typeof id !== 'string' || id.length !== ID_CHARS || id === NO_ID) return false
  for (let i = 0; i < ID_CHARS; i++) {
    const code = id.charCodeAt(i)
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false
  }
  return true
}

/** Where @opentelemetry/api, in whichever copy, registers itself and what it keeps the active span under. */
const kApi = Symbol.for('opentelemetry.js.api.1')
const kSpan = Symbol.for('OpenTelemetry Context Key SPAN')

/**
 * The trace id a request came with. Read from its raw headers: `headers` is made at its first use,
 * which is the application's to choose.
 * @param {{ rawHeaders: string[] }} request
 * @returns {string | null}
 */
exports.traceIdOf = ({ rawHeaders }) => {
  if (!Array.isArray(rawHeaders)) return null
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === HEADER.length && rawHeaders[i].toLowerCase() === HEADER) {
      const id = rawHeaders[i + 1].slice(VERSION_CHARS, VERSION_CHARS + ID_CHARS)
      return isTraceId(id) ? id : null
    }
  }
  return null
}

/**
 * The trace id of the OpenTelemetry span that is active where this is called. Asks only what is
 * loaded already, and takes no error for an answer.
 * @returns {string | null}
 */
exports.activeTraceId = () => {
  try {
    const api = /** @type {any} */ (globalThis)[kApi]
    const id = api?.context?.active().getValue(kSpan)?.spanContext().traceId
    return isTraceId(id) ? id : null
  } catch {
    return null
  }
}
