'use strict'

const os = require('node:os')
const { collect } = require('./profiles')

/** As often as Pyroscope's own agents push. */
const PERIOD_MS = 15000
const ANSWER_MS = 10000
/** The process may be about to end. */
const LAST_ANSWER_MS = 800
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60000
/** Profiles that wait for a server that is away: some minutes of blocks, then the oldest go. */
const WAITING = 20
/** The verdict of a block comes up to half a second after its end. */
const SETTLED_MS = 1000

/** @typedef {import('../../store/record').BlockRecord} BlockRecord */
/** @typedef {{ target: URL, body: Buffer }} Push */

/**
 * Pushes the blocks that have ended to Grafana Pyroscope, each once. Never throws: while the server
 * is away it tries again, ever less often.
 */
class PyroscopePush {
  #parts
  /** Ids of records that are in memory still. @type {Set<string>} */
  #told = new Set()
  /** @type {Push[]} oldest first */
  #waiting = []
  #failures = 0
  #isSending = false
  #timer
  /** @type {NodeJS.Timeout | undefined} */
  #retry

  /**
   * @param {object} parts
   * @param {string} parts.url of the server; a user and password in it become basic authentication
   * @param {Record<string, string>} parts.labels constant ones; `service` names the application
   * @param {() => BlockRecord[]} parts.records newest first
   * @param {(error: Error | null) => void} parts.onState
   * @param {(profiles: number) => void} parts.onLost
   * @param {number} [parts.periodMs]
   * @param {number} [parts.retryMs]
   */
  constructor (parts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.push().catch(parts.onState), parts.periodMs ?? PERIOD_MS)
  }

  /** Pushes what is new. */
  async push () {
    await this.#collect(Date.now() - SETTLED_MS)
    await this.#send(ANSWER_MS)
  }

  /** @param {number} endedBeforeMs */
  async #collect (endedBeforeMs) {
    const records = this.#parts.records()
    const fresh = records.filter(({ id, ongoing, worker, startedAt, durationMs }) =>
      // A cluster's workers push their own.
      !ongoing && worker === null && !this.#told.has(id) && Date.parse(startedAt) + durationMs <= endedBeforeMs)
    if (fresh.length === 0) return
    const told = [...this.#told, ...fresh.map(({ id }) => id)]
    const known = new Set(records.map(({ id }) => id))
    this.#told = new Set(told.filter((id) => known.has(id)))
    try {
      const table = await collect(fresh)
      this.#waiting.push({ target: this.#targetOf(table), body: require('./pprof').writePprof(table) })
    } catch (error) {
      this.#lost(1, error)
    }
    if (this.#waiting.length > WAITING) {
      // The oldest may be on its way.
      this.#waiting.splice(this.#isSending ? 1 : 0, 1)
      this.#parts.onLost(1)
    }
  }

  /** @param {import('./stack-table').StackTable} table */
  #targetOf ({ startMs, endMs }) {
    const { url, labels: { service = 'loopwatch', ...labels } } = this.#parts
    const tags = Object.entries({ hostname: os.hostname(), ...labels }).map(([name, value]) => `${name}=${plain(value)}`)
    const target = new URL(url)
    target.pathname = `${target.pathname.replace(/\/+$/, '')}/ingest`
    const from = Math.floor(startMs / 1000)
    target.search = String(new URLSearchParams({
      name: `${plain(service)}{${tags.join(',')}}`,
      format: 'pprof',
      spyName: 'nodespy',
      sampleRate: '100',
      from: String(from),
      until: String(Math.max(from + 1, Math.ceil(endMs / 1000)))
    }))
    return target
  }

  /** What waits, oldest first, until one fails. @param {number} patienceMs */
  async #send (patienceMs) {
    if (this.#isSending || this.#retry !== undefined) return
    this.#isSending = true
    while (this.#waiting.length > 0) {
      const { error, isFinal } = await post(this.#waiting[0], patienceMs)
      if (error !== null && !isFinal) {
        this.#parts.onState(error)
        this.#later()
        break
      }
      this.#waiting.shift()
      this.#failures = 0
      if (error === null) this.#parts.onState(null)
      else this.#lost(1, error)
    }
    this.#isSending = false
  }

  #later () {
    const ms = Math.min((this.#parts.retryMs ?? FIRST_RETRY_MS) * 2 ** this.#failures++, LAST_RETRY_MS)
    // Many processes lose the same server at the same moment.
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#send(ANSWER_MS)
    }, ms * (0.5 + Math.random() / 2))
  }

  /** @param {number} profiles @param {Error} error */
  #lost (profiles, error) {
    this.#parts.onLost(profiles)
    this.#parts.onState(error)
  }

  /** Pushes the rest, once, and ends. */
  async stop () {
    clearInterval(this.#timer)
    clearTimeout(this.#retry)
    this.#retry = undefined
    await this.#collect(Infinity)
    await this.#send(LAST_ANSWER_MS)
    clearTimeout(this.#retry)
  }
}

/**
 * @param {Push} push
 * @param {number} patienceMs
 * @returns {Promise<{ error: Error | null, isFinal: boolean }>} final: it would be refused again
 */
async function post ({ target, body }, patienceMs) {
  const { username, password } = target
  const url = new URL(target)
  // fetch() refuses an address with credentials.
  url.username = url.password = ''
  try {
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', ...(username !== '' && { authorization: `Basic ${credentials}` }) },
      body: new Uint8Array(body),
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs)
    })
    await response.arrayBuffer()
    if (response.ok) return { error: null, isFinal: true }
    const isFinal = response.status < 500 && response.status !== 429 && response.status !== 408
    return { error: new Error(`${url.host} answered ${response.status}`), isFinal }
  } catch (error) {
    return { error: new Error(`${url.host}: ${error.cause?.code ?? error.cause?.message ?? error.message}`), isFinal: false }
  }
}

/** Values of tags stand between braces, separated by commas. @param {string} value */
function plain (value) {
  return value.replace(/[{},="\s]/g, '_')
}

exports.PyroscopePush = PyroscopePush
