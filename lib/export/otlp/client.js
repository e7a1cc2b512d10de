'use strict'

const http = require('node:http')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const { MS_PER_S } = require('../../util/units')

const gzip = promisify(zlib.gzip)

/** An answer says at most how much was rejected, and why. More than this is none of OTLP. */
const ANSWER_BYTES = 65536
const REASON_CHARS = 200
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = new Set([429, 502, 503, 504])
const NOTHING_REJECTED = { rejected: 0, reason: '' }

/**
 * @typedef {import('../../options/otlp').SignalSettings} SignalSettings
 *
 * @typedef {object} Outcome
 * @property {Error | null} error
 * @property {boolean} isFinal it would be refused again, or has arrived
 * @property {number | null} retryAfterMs when the receiver wants it again
 * @property {number} rejected of what has arrived
 */

/**
 * Sends one request of OTLP/JSON. Never throws. It takes Node's own client, because fetch() would load 5 MB of code
 * into the watchdog's thread.
 */
class OtlpClient {
  #settings
  #agent
  #isTls

  /** @param {SignalSettings} settings */
  constructor (settings) {
    this.#settings = settings
    this.#isTls = settings.url.startsWith('https:')
    const { Agent } = this.#isTls ? require('node:https') : http
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 })
  }

  /** @param {string} json @param {AbortSignal} end of the time for it @returns {Promise<Outcome>} */
  async post (json, end) {
    const { url, timeoutMs } = this.#settings
    const { host } = new URL(url)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const onEnd = () => late.abort(new Error('the agent was stopped'))
    end.addEventListener('abort', onEnd)
    if (end.aborted) onEnd()
    try {
      return outcomeOf(host, await this.#send(json, late.signal))
    } catch (error) {
      const { message } = late.signal.aborted ? late.signal.reason : error
      const failure = new Error(`${host}: ${message || error.code}`, { cause: error })
      return { error: failure, isFinal: false, retryAfterMs: null, rejected: 0 }
    } finally {
      clearTimeout(timer)
      end.removeEventListener('abort', onEnd)
    }
  }

  /**
   * @param {string} json
   * @param {AbortSignal} signal
   * @returns {Promise<{ response: http.IncomingMessage, text: string }>}
   */
  async #send (json, signal) {
    const { url, headers, gzip: isZipped } = this.#settings
    const body = isZipped ? await gzip(json) : Buffer.from(json)
    const { request } = this.#isTls ? /** @type {typeof http} */ (/** @type {unknown} */ (require('node:https'))) : http
    return new Promise((resolve, reject) => {
      const asked = request(url, {
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'user-agent': 'loopwatch',
          ...headers,
          'content-type': 'application/json',
          'content-length': body.length,
          ...(isZipped && { 'content-encoding': 'gzip' })
        }
      }, (response) => { textOf(response).then((text) => resolve({ response, text }), reject) })
      asked.on('error', reject)
      asked.end(body)
    })
  }

  close () {
    this.#agent.destroy()
  }
}

/** @param {http.IncomingMessage} response */
async function textOf (response) {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > ANSWER_BYTES) throw new Error('the answer is none of OTLP: it is too long')
  }
  return text
}

/** @param {string} host @param {{ response: http.IncomingMessage, text: string }} answer @returns {Outcome} */
function outcomeOf (host, { response: { statusCode = 0, headers }, text }) {
  const arrived = { isFinal: true, retryAfterMs: null, rejected: 0 }
  if (statusCode < 200 || statusCode > 299) {
    const error = new Error(`${host} answered ${statusCode}`)
    return { error, isFinal: !RETRYABLE.has(statusCode), retryAfterMs: retryAfterOf(headers['retry-after']), rejected: 0 }
  }
  const result = rejectedOf(text, headers['content-type'])
  if (result === null) return { ...arrived, error: new Error(`${host} gave an answer that is none of OTLP`), rejected: Infinity }
  const { rejected, reason } = result
  const error = rejected > 0 ? new Error(`${host} rejected ${rejected}: ${reason}`) : null
  return { ...arrived, error, rejected }
}

/**
 * How much a receiver has rejected of what it took; null where the answer is none of a receiver. Some give no answer,
 * or one in protobuf.
 * @param {string} text
 * @param {string} [type]
 */
function rejectedOf (text, type = '') {
  if (text.trim() === '' || type.startsWith('application/x-protobuf')) return NOTHING_REJECTED
  try {
    const answer = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return null
    const partial = answer.partialSuccess ?? answer.partial_success ?? {}
    const { rejectedSpans, rejectedLogRecords, rejectedDataPoints, errorMessage = '' } = partial
    const rejected = Number(rejectedSpans ?? rejectedLogRecords ?? rejectedDataPoints ?? 0)
    return { rejected: rejected > 0 ? rejected : 0, reason: `${errorMessage}`.slice(0, REASON_CHARS) }
  } catch {
    return null
  }
}

/** Seconds, or a date. @param {string | undefined} text */
function retryAfterOf (text) {
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * MS_PER_S : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

exports.OtlpClient = OtlpClient
