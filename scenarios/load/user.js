'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const net = require('node:net')
const { Client } = require('undici')

const BODY_SENT = 'undici:request:bodySent'

/**
 * @typedef {object} Timing one request, in the parts that k6 names; ms
 * @property {number} blockedMs until there was a connection to send on
 * @property {number} connectingMs of that: the TCP handshake
 * @property {number} sendingMs
 * @property {number} waitingMs from sent to the head of the answer
 * @property {number} receivingMs
 * @property {number} durationMs sending, waiting and receiving
 * @property {number} status 0 where there was no answer
 * @property {string | null} body where it was asked for
 * @property {number} bodyBytes
 * @property {string | null} error
 */

/**
 * The request whose head is being written: undici tells of the end of it on a channel of the process, in the same turn.
 */
let sending = /** @type {{ sentMs: number } | null} */ (null)
const onSent = () => {
  if (sending === null) return
  sending.sentMs = performance.now()
  sending = null
}

let users = 0

/**
 * @param {{ fromMs: number, startMs: number, sentMs: number, headMs: number }} marks 0 for what has not come
 * @param {string | null} error
 */
function timesOf ({ fromMs, startMs, sentMs, headMs }, error) {
  const endMs = performance.now()
  // A request that ended early ended in its current phase.
  const wasSentMs = sentMs || (error === null ? startMs : endMs)
  const hadHeadMs = headMs || endMs
  return {
    blockedMs: startMs - fromMs,
    sendingMs: Math.max(0, wasSentMs - startMs),
    waitingMs: Math.max(0, hadHeadMs - wasSentMs),
    receivingMs: endMs - hadHeadMs,
    durationMs: endMs - startMs
  }
}

/** One virtual user: a connection of its own with one request at a time. */
class User {
  #client
  #headers
  #isKept
  #connectingMs = 0
  /** @type {Set<net.Socket>} */
  #sockets = new Set()
  #past = { received: 0, sent: 0 }

  /** @param {{ origin: string, headers?: Record<string, string>, keepAlive?: boolean }} target */
  constructor ({ origin, headers = {}, keepAlive = true }) {
    this.#headers = headers
    this.#isKept = keepAlive
    const { hostname, port } = new URL(origin)
    // No limits of undici's own: the driver's are those of the run.
    this.#client = new Client(origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_, callback) => this.#connect({ host: hostname, port: Number(port) }, callback)
    })
    if (users++ === 0) subscribe(BODY_SENT, onSent)
  }

  /** @param {{ host: string, port: number }} address @param {(...args: any[]) => void} callback */
  #connect (address, callback) {
    const fromMs = performance.now()
    const socket = net.connect({ ...address, noDelay: true })
    const onError = (/** @type {Error} */ error) => callback(error, null)
    socket.once('error', onError)
    socket.once('connect', () => {
      socket.off('error', onError)
      this.#connectingMs = performance.now() - fromMs
      this.#sockets.add(socket)
      callback(null, socket)
    })
    socket.once('close', () => {
      this.#past.received += socket.bytesRead
      this.#past.sent += socket.bytesWritten
      this.#sockets.delete(socket)
    })
    return socket
  }

  /** Bytes of all its connections. */
  get bytes () {
    const sum = (/** @type {'bytesRead' | 'bytesWritten'} */ key) =>
      [...this.#sockets].reduce((total, socket) => total + socket[key], 0)
    return { received: this.#past.received + sum('bytesRead'), sent: this.#past.sent + sum('bytesWritten') }
  }

  /**
   * Never rejects.
   * @param {string} path
   * @param {{ keepsBody: boolean }} options
   * @returns {Promise<Timing>}
   */
  request (path, { keepsBody }) {
    return new Promise((resolve) => {
      const fromMs = performance.now()
      const marks = { fromMs, startMs: fromMs, sentMs: 0, headMs: 0 }
      /** @type {Buffer[]} */
      const chunks = []
      let status = 0
      let bodyBytes = 0
      this.#connectingMs = 0
      const end = (/** @type {string | null} */ error) => {
        const times = { ...timesOf(marks, error), connectingMs: this.#connectingMs }
        resolve({ ...times, status, body: keepsBody ? Buffer.concat(chunks).toString() : null, bodyBytes, error })
      }
      this.#client.dispatch({ path, method: 'GET', headers: this.#headers, reset: !this.#isKept }, {
        onRequestStart: () => {
          marks.startMs = performance.now()
          sending = marks
        },
        onResponseStart: (_, code) => {
          marks.headMs = performance.now()
          status = code
        },
        onResponseData: (_, chunk) => {
          bodyBytes += chunk.length
          if (keepsBody) chunks.push(chunk)
        },
        onResponseEnd: () => end(null),
        onResponseError: (_, error) => end(/** @type {any} */ (error).code ?? error.message)
      })
    })
  }

  /** Ends its connection, and a request that is under way. */
  async close () {
    await this.#client.destroy().catch(() => {})
    if (--users === 0) unsubscribe(BODY_SENT, onSent)
  }
}

exports.User = User
