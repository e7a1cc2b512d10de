'use strict'

const REASON_CHARS = 200
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = new Set([429, 502, 503, 504])

/** @param {number} status of a receiver that did not take a request */
exports.isRetryable = (status) => RETRYABLE.has(status)

/**
 * A receiver may lose some of what it accepted. Some receivers give no answer, or one in protobuf.
 * @param {string} host @param {import('../http-client').Answer} answer @param {number} items sent
 * @returns {{ error: Error | null, lost: number }}
 */
exports.readAnswer = (host, { text, type = '' }, items) => {
  if (text.trim() === '' || type.startsWith('application/x-protobuf')) return { error: null, lost: 0 }
  const partial = partialSuccess(text)
  if (partial === null) return { error: new Error(`${host} gave an answer that is none of OTLP`), lost: items }
  const { rejectedSpans, rejectedLogRecords, rejectedDataPoints, errorMessage = '' } = partial
  const rejected = Number(rejectedSpans ?? rejectedLogRecords ?? rejectedDataPoints ?? 0)
  if (!(rejected > 0)) return { error: null, lost: 0 }
  const reason = `${errorMessage}`.slice(0, REASON_CHARS)
  return { error: new Error(`${host} rejected ${rejected}: ${reason}`), lost: Math.min(items, rejected) }
}

/** @param {string} text @returns {Record<string, any> | null} null if no receiver answers so */
function partialSuccess (text) {
  try {
    const answer = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return null
    return answer.partialSuccess ?? answer.partial_success ?? {}
  } catch {
    return null
  }
}
