'use strict'

const os = require('node:os')
const { post } = require('../http/post')
const { StackTable } = require('./stack-table')
const { MS_PER_S } = require('../../util/units')

/** As often as Pyroscope's own agents push. */
const PERIOD_MS = 15000
const ANSWER_MS = 10000
/** Time for the last pushes: the watchdog is ended by force after a second, since the process may be about to go. */
const LAST_MS = 800
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60000
/** Most profiles that wait for a server that is away: some minutes of blocks. Beyond it the oldest go. */
const WAITING = 20
/** Most blocks in one profile, which takes up to 5 MB until it is written. Further ones begin the next profile. */
const BLOCKS = 2000

/**
 * @typedef {import('../../types').BlockRecord} BlockRecord
 * @typedef {{ target: URL, body: Buffer }} Push
 */

/**
 * Pushes the blocks that it is handed to Grafana Pyroscope, each once. It takes them in as they come, since memory may
 * have lost them by the next push. It never throws: while the server is away it tries again, ever less often.
 */
class PyroscopePush {
  #parts
  #table = new StackTable()
  /** @type {Push[]} oldest first */
  #waiting = []
  #failures = 0
  /** @type {Promise<void> | null} */
  #sending = null
  /** Aborts the push that is on its way. */
  #patience = new AbortController()
  /** When the time for the last pushes is over. */
  #endMs = Infinity
  #timer
  /** @type {NodeJS.Timeout | undefined} */
  #retry

  /**
   * @param {object} parts
   * @param {string} parts.url of the server; a user and password in it become basic authentication
   * @param {Record<string, string>} parts.labels constant ones; `service` names the application
   * @param {(error: Error | null) => void} parts.onState
   * @param {(profiles: number) => void} parts.onLost
   * @param {number} [parts.periodMs]
   * @param {number} [parts.retryMs]
   */
  constructor (parts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.push(), parts.periodMs ?? PERIOD_MS)
  }

  /** @param {BlockRecord} record of a block that has ended and is judged */
  add (record) {
    this.#table.add(record)
    if (this.#table.blocks >= BLOCKS) this.push()
  }

  /** Pushes what is new. */
  async push () {
    this.#cut()
    if (this.#retry === undefined) await this.#send()
  }

  /** Makes a profile that waits of the blocks that were handed over. */
  #cut () {
    const table = this.#table
    if (table.blocks === 0) return
    this.#table = new StackTable()
    try {
      this.#waiting.push({ target: this.#targetOf(table), body: require('./pprof').writePprof(table) })
    } catch (error) {
      this.#lost(1, error)
    }
    if (this.#waiting.length > WAITING) {
      // The oldest may be on its way: then the next one goes.
      this.#waiting.splice(this.#sending === null ? 0 : 1, 1)
      this.#parts.onLost(1)
    }
  }

  /** @param {import('./stack-table').StackTable} table */
  #targetOf ({ startMs, endMs }) {
    const { url, labels: { service = 'loopwatch', ...labels } } = this.#parts
    const all = Object.entries({ hostname: os.hostname(), ...labels })
    const tags = all.map(([name, value]) => `${name}=${plain(value)}`)
    const target = new URL(url)
    target.pathname = `${target.pathname.replace(/\/+$/, '')}/ingest`
    const from = Math.floor(startMs / MS_PER_S)
    target.search = String(new URLSearchParams({
      name: `${plain(service)}{${tags.join(',')}}`,
      format: 'pprof',
      spyName: 'nodespy',
      sampleRate: '100',
      from: String(from),
      until: String(Math.max(from + 1, Math.ceil(endMs / MS_PER_S)))
    }))
    return target
  }

  /** One push at a time: the one on its way takes along what comes meanwhile. */
  #send () {
    this.#sending ??= this.#sendAll().finally(() => { this.#sending = null })
    return this.#sending
  }

  /** Pushes the profiles that wait, oldest first, until one fails. */
  async #sendAll () {
    while (this.#waiting.length > 0 && performance.now() < this.#endMs) {
      const patience = this.#patience = new AbortController()
      const timer = setTimeout(() => patience.abort(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS)
      const [{ target, body }] = this.#waiting
      const { error, isFinal } = await post(target, {
        type: 'application/octet-stream',
        body: new Uint8Array(body),
        signal: patience.signal
      })
      clearTimeout(timer)
      if (error !== null && !isFinal) {
        this.#parts.onState(error)
        if (this.#endMs === Infinity) this.#later()
        return
      }
      this.#waiting.shift()
      this.#failures = 0
      if (error === null) this.#parts.onState(null)
      else this.#lost(1, error)
    }
  }

  #later () {
    const ms = Math.min((this.#parts.retryMs ?? FIRST_RETRY_MS) * 2 ** this.#failures++, LAST_RETRY_MS)
    // At random times, since many processes lose the same server at the same moment.
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#send()
    }, ms * (0.5 + Math.random() / 2))
  }

  /** @param {number} profiles @param {Error} error */
  #lost (profiles, error) {
    this.#parts.onLost(profiles)
    this.#parts.onState(error)
  }

  /** Pushes the rest, once, and ends. It waits for the push that is on its way. */
  async stop () {
    clearInterval(this.#timer)
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#endMs = performance.now() + LAST_MS
    const timer = setTimeout(() => this.#patience.abort(), LAST_MS)
    this.#cut()
    await this.#sending
    // A push that failed has left the rest behind.
    await this.#send()
    clearTimeout(timer)
  }
}

/** Values of tags stand between braces, separated by commas. @param {string} value */
function plain (value) {
  return value.replace(/[{},="\s]/g, '_')
}

exports.PyroscopePush = PyroscopePush
