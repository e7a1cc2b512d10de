'use strict'

const http = require('node:http')
const { isNameAllowed, isTokenValid, readAddress } = require('./guard')

/** @import { ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */

/** Answers up to this size are always sent, so that metrics, health and the page work whatever else waits. */
const SMALL_BYTES = 256 * 1024
/** Larger answers in memory at a time. */
const LARGE_BYTES = 32 * 1024 * 1024

/** A client that has read nothing of its answer for this long is disconnected. */
const UNREAD_MS = 30000
/** A further connection replaces the one that has been idle longest. */
const CONNECTIONS = 100
const PORTS = 100
/** `/`, `/name` or `/name/id`, and two files of the page. */
const PATH = /^\/(?:([a-z]+|page\.(?:js|css))(?:\/([\w.-]+))?)?$/
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * @typedef {object} Reply
 * @property {number} status @property {string} [type] @property {string | Buffer} body
 * @property {Record<string, string>} [headers]
 * @property {(response: http.ServerResponse) => void} [stream] writes the response instead of the body
 *
 * @typedef {object} PathRequest
 * @property {string} id @property {URLSearchParams} query @property {string} accept @property {string} acceptEncoding
 * @property {string} etag of the copy that the client has
 *
 * @typedef {object} HandlerTraits
 * @property {(accept: string) => boolean} [isOpen] whether no token is required
 * @property {boolean} [takesOptions] OPTIONS is answered like GET
 *
 * @typedef {((request: PathRequest) => Reply | Promise<Reply>) & HandlerTraits} Handler of a path
 */

/** @param {unknown} value @param {number} [status] @returns {Reply} */
exports.json = (value, status = 200) => ({ status, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` })

/** @param {string} error @param {number} [status] @param {Record<string, string>} [headers] @returns {Reply} */
const refusal = (error, status = 400, headers) => ({ ...exports.json({ error }, status), headers })

/** A reply that browsers save as a file. @param {string} name @param {string} type @param {Reply['body']} body */
exports.download = (name, type, body) =>
  ({ status: 200, type, body, headers: { 'content-disposition': `attachment; filename="${name}"` } })

exports.BUSY = refusal('too busy with other requests; try again', 503, { 'retry-after': '2' })

const ONE_AT_A_TIME = refusal('only one request at a time per connection', 503, { connection: 'close' })

/**
 * Runs on the watchdog's thread, so it answers while the host is stuck. Never throws. If its port is taken, it uses the
 * next free one. If all are taken, it tries again every five seconds.
 */
class HttpServer {
  #server
  #options
  #paths
  #onState
  /** @type {Set<Socket>} longest idle first */
  #sockets = new Set()
  /** @type {WeakSet<Socket>} with an open stream: never idle */
  #streaming = new WeakSet()
  /** @type {WeakSet<Socket>} with an answer in progress */
  #answering = new WeakSet()
  #budget = new ResponseBudget()
  /** @type {NodeJS.Timeout | undefined} */
  #retry
  #closed = false
  #offset = 0

  /**
   * @param {object} parts
   * @param {{ host: string, port: number, token?: string, allowHosts: string[] }} parts.options
   * @param {Record<string, Handler>} parts.paths handlers by path; the `:id` of `/blocks/:id` is one segment
   * @param {(url: string | null, error: Error | null) => void} parts.onState
   * @param {number} [parts.requestMs] @param {number} [parts.unreadMs]
   */
  constructor ({ options, paths, onState, requestMs = 5000, unreadMs = UNREAD_MS }) {
    this.#options = options
    this.#paths = paths
    this.#onState = onState
    this.#server = http.createServer({
      maxHeaderSize: 8 * 1024,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 75000, // longer than Prometheus' own scrape interval, a minute
      connectionsCheckingInterval: 1000,
      // Joins two Host headers into one that is not a valid host: a proxy may have checked the other one.
      joinDuplicateHeaders: true
    })
    this.#server.timeout = unreadMs
    this.#server.on('connection', (socket) => this.#admit(socket))
    this.#server.on('request', (request, response) => { this.#handle(request, response) })
    this.#server.on('error', (error) => this.#failed(error))
    this.#server.on('listening', () => this.#onState(this.url, null))
    this.#listen()
  }

  get url () {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return null
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
    return `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`
  }

  #listen () {
    const { host, port } = this.#options
    try {
      this.#server.listen({ host, port: port + this.#offset, exclusive: true })
    } catch (error) {
      // Node.js 24 and later throw synchronously if the host is invalid.
      this.#retry = setTimeout(() => this.#failed(error))
    }
  }

  /** @param {Error & { code?: string }} error */
  #failed (error) {
    const { port } = this.#options
    const next = port + this.#offset + 1
    if (error.code === 'EADDRINUSE' && !this.#closed && port !== 0 && next < port + PORTS &&
      next <= exports.LAST_PORT) {
      this.#offset++
      this.#listen()
      return
    }
    this.#offset = 0
    this.#onState(this.url, error)
    if (!this.#closed && !this.#server.listening) this.#retry = setTimeout(() => this.#listen(), 5000)
  }

  /** @param {Socket} socket */
  #admit (socket) {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    if (this.#sockets.size <= CONNECTIONS) return
    for (const oldest of this.#sockets) {
      if (this.#streaming.has(oldest) || this.#answering.has(oldest)) continue
      oldest.destroy()
      return
    }
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #handle (request, response) {
    // The socket moves to the end: the first one has been idle longest.
    this.#sockets.delete(request.socket)
    this.#sockets.add(request.socket)
    // One chunk from a socket can hold 2000 pipelined requests. All their answers would wait in memory.
    const isPipelined = this.#answering.has(request.socket)
    this.#answering.add(request.socket)
    response.once('close', () => this.#answering.delete(request.socket))
    let reply
    try {
      reply = isPipelined ? ONE_AT_A_TIME : await this.#reply(request)
    } catch {
      reply = refusal('internal error', 500)
    }
    const hasRoom = request.method === 'HEAD' || this.#budget.admit(Buffer.byteLength(reply.body), response)
    if (!hasRoom) reply = exports.BUSY
    try {
      this.#answer(request, response, reply)
    } catch {
      // Otherwise the client would take the part that was sent for the whole answer.
      response.destroy()
    }
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {Reply} reply */
  #answer (request, response, reply) {
    const stream = request.method === 'HEAD' ? undefined : reply.stream
    response.writeHead(reply.status, {
      ...(reply.type && { 'content-type': reply.type }),
      ...(!reply.stream && reply.status !== 304 && { 'content-length': Buffer.byteLength(reply.body) }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      ...reply.headers
    })
    request.resume()
    if (stream === undefined) {
      response.end(request.method === 'HEAD' ? undefined : reply.body)
      return
    }
    this.#streaming.add(request.socket)
    response.once('close', () => this.#streaming.delete(request.socket))
    stream(response)
  }

  /** @param {http.IncomingMessage} request */
  #reply (request) {
    const { method, url = '/', headers } = request
    const { authority, path, query } = readAddress(url)
    if (!isNameAllowed(request, authority, this.#options.allowHosts)) {
      return refusal('this Host is not served; see option allowHosts', 403)
    }
    const [match, name = '', id = ''] = PATH.exec(path) ?? []
    const handler = match === undefined ? undefined : this.#paths[id === '' ? `/${name}` : `/${name}/:id`]
    const methods = ['GET', 'HEAD', ...handler?.takesOptions ? ['OPTIONS'] : []]
    if (!methods.includes(method ?? '')) {
      return refusal(`${methods.join(' and ')} only`, 405, { allow: methods.join(', ') })
    }
    if (handler === undefined) return refusal('not found', 404)
    const accept = headers.accept ?? ''
    if (!handler.isOpen?.(accept) && !isTokenValid(headers.authorization, this.#options.token)) {
      return refusal('a bearer token is required', 401, { 'www-authenticate': 'Bearer' })
    }
    return handler({
      id,
      query: new URLSearchParams(query),
      accept,
      acceptEncoding: `${headers['accept-encoding'] ?? ''}`,
      etag: headers['if-none-match'] ?? ''
    })
  }

  close () {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** Limits the large answers in memory. A client that does not read keeps its answer there for up to half a minute. */
class ResponseBudget {
  #bytes = 0

  /** Whether an answer fits. Alone, one of any size does. @param {number} bytes @param {ServerResponse} response */
  admit (bytes, response) {
    // A response whose client has disconnected does not emit 'close' again.
    if (bytes <= SMALL_BYTES || response.destroyed) return true
    if (this.#bytes > 0 && this.#bytes + bytes > LARGE_BYTES) return false
    this.#bytes += bytes
    response.once('close', () => { this.#bytes -= bytes })
    return true
  }
}

exports.LAST_PORT = 65535
exports.HttpServer = HttpServer
exports.JSON_TYPE = JSON_TYPE
exports.refusal = refusal
