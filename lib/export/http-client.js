'use strict'

const dns = require('node:dns')
const http = require('node:http')
const { MS_PER_S } = require('../util/units')

/** @import { LookupFunction } from 'node:net' */

/** A longer answer is an error. Receivers only say how many items they accepted, and why not all. */
const ANSWER_BYTES = 65536

/**
 * @typedef {object} Target
 * @property {string} url a user and password in it are sent as basic authentication
 * @property {Record<string, string>} [headers] @property {boolean} [gzip]
 * @property {number} timeoutMs until the whole answer has arrived
 * @property {(status: number) => boolean} isRetryable
 *
 * @typedef {object} Answer
 * @property {Error | null} error null if the receiver accepted the request
 * @property {boolean} isFinal the request was accepted, or would be refused again
 * @property {number | null} retryAfterMs the receiver's Retry-After, null without one
 * @property {string} text
 * @property {string} [type] media type of the text
 */

/** Posts JSON to one receiver with Node's own client: fetch() would load 5 MB of code into the watchdog's thread. */
class HttpClient {
  #target
  #url
  #headers
  #agent
  #http

  /** @param {Target} target */
  constructor (target) {
    this.#target = target
    const url = new URL(target.url)
    this.host = url.host
    this.#headers = {
      'user-agent': 'loopwatch',
      ...credentialsOf(url),
      ...target.headers,
      'content-type': 'application/json'
    }
    url.username = url.password = ''
    this.#url = url
    this.#http = url.protocol === 'https:' ? loadHttps() : http
    this.#agent = new this.#http.Agent({ keepAlive: true, maxSockets: 1 })
  }

  /** Never throws. @param {string} json @param {AbortSignal} end aborts the request @returns {Promise<Answer>} */
  async post (json, end) {
    const { timeoutMs } = this.#target
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    const aborted = new Promise((_resolve, reject) => {
      late.signal.addEventListener('abort', () =>
        reject(late.signal.reason))
    })
    const onEnd = () => late.abort(new Error('the agent was stopped'))
    end.addEventListener('abort', onEnd)
    if (end.aborted) onEnd()
    try {
      return await Promise.race([this.#send(json, late.signal), aborted])
    } catch (error) {
      const { message } = late.signal.aborted ? late.signal.reason : error
      const failure = new Error(`${this.host}: ${message || error.code}`, { cause: error })
      return { error: failure, isFinal: false, retryAfterMs: null, text: '' }
    } finally {
      clearTimeout(timer)
      end.removeEventListener('abort', onEnd)
    }
  }

  /** @param {string} json @param {AbortSignal} signal @returns {Promise<Answer>} */
  async #send (json, signal) {
    const { gzip } = require('../util/gzip')
    const body = this.#target.gzip ? await gzip(Buffer.from(json)) : Buffer.from(json)
    const encoding = this.#target.gzip ? { 'content-encoding': 'gzip' } : {}
    const headers = { ...this.#headers, 'content-length': body.length, ...encoding }
    const options = { method: 'POST', agent: this.#agent, signal, headers, lookup }
    return new Promise((resolve, reject) => {
      const outgoing = this.#http.request(this.#url, options, (response) => {
        textOf(response).then((text) => resolve(this.#answerOf(response, text)), reject)
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  /** @param {http.IncomingMessage} response @param {string} text @returns {Answer} */
  #answerOf ({ statusCode = 0, headers }, text) {
    const isTaken = statusCode >= 200 && statusCode <= 299
    return {
      error: isTaken ? null : new Error(`${this.host} answered ${statusCode}`),
      isFinal: isTaken || !this.#target.isRetryable(statusCode),
      retryAfterMs: retryAfterOf(headers['retry-after']),
      text,
      type: headers['content-type']
    }
  }

  close () {
    this.#agent.destroy()
  }
}

/** The same interface. @returns {typeof http} */
const loadHttps = () => /** @type {any} */ (require('node:https'))

/**
 * Resolves localhost, where collectors usually are, without the application's thread pool, which may be full.
 * @type {LookupFunction}
 */
function lookup (name, options, done) {
  if (name !== 'localhost' || !options.all) dns.lookup(name, options, done)
  else process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }])
}

/** @param {URL} url @returns {Record<string, string>} */
function credentialsOf ({ username, password }) {
  if (username === '') return {}
  const text = `${decoded(username)}:${decoded(password)}`
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

/** Returns the text unchanged if its percent-encoding is invalid. @param {string} text */
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** @param {http.IncomingMessage} response */
async function textOf (response) {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > ANSWER_BYTES) throw new Error('the response is too long')
  }
  return text
}

/** @param {string | undefined} text a number of seconds, or a date */
function retryAfterOf (text) {
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * MS_PER_S : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

exports.HttpClient = HttpClient
