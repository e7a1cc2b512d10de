'use strict'

const http = require('node:http')
const { isNameAllowed, isTokenValid, readAddress } = require('./guard')
const { Unread } = require('./response-budget')

const HEADER_BYTES = 8 * 1024
const REQUEST_MS = 5000
/** A client that has read nothing of its answer for so long is let go. */
const UNREAD_MS = 30000
/** Above it the connection that has been idle longest makes room. */
const CONNECTIONS = 100
const RETRY_MS = 5000
/** So many ports from the configured one on are tried. */
const PORTS = 100
const LAST_PORT = 65535
/** `/`, `/name` or `/name/id`, and the page's two files */
const PATH = /^\/(?:([a-z]+|page\.(?:js|css))(?:\/([\w.-]+))?)?$/
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * @typedef {{ status: number, type?: string, body: string | Buffer, headers?: Record<string, string>, stream?: (response: http.ServerResponse) => void }} Reply
 * `stream` goes on writing after the body
 * @typedef {{ id: string, query: URLSearchParams, accept: string, etag: string }} Asked `etag`: of what the client has
 * @typedef {((asked: Asked) => Reply | Promise<Reply>) & { isOpen?: (accept: string) => boolean, takesOptions?: boolean }} Route `isOpen`: whether it is
 * served without the token; `takesOptions`: that method is answered as GET
 */

/** @param {unknown} value @param {number} [status] @returns {Reply} */
exports.json = (value, status = 200) => ({ status, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` })

/** @type {Reply} */
exports.BUSY = { ...exports.json({ error: 'others have asked for much; try again' }, 503), headers: { 'retry-after': '2' } }

/** @type {Reply} */
const ONE_AT_A_TIME = { ...exports.json({ error: 'one request at a time on a connection' }, 503), headers: { connection: 'close' } }

/**
 * The endpoint, on the watchdog's thread: it answers while the host is stuck. Never throws; where
 * its port is taken it takes the next free one, and where all are it tries again every five seconds.
 */
class HttpServer {
  #server
  #options
  #routes
  #onState
  /** @type {Set<import('node:net').Socket>} idle first */
  #sockets = new Set()
  /** @type {WeakSet<import('node:net').Socket>} those in which an answer goes on, never idle */
  #streaming = new WeakSet()
  /** @type {WeakSet<import('node:net').Socket>} those with an answer under way */
  #answering = new WeakSet()
  #unread = new Unread()
  /** @type {NodeJS.Timeout | undefined} */
  #retry
  #closed = false
  /** Added to the configured port. */
  #offset = 0

  /**
   * @param {object} parts
   * @param {{ host: string, port: number, token?: string, allowHosts: string[] }} parts.options
   * @param {Record<string, Route>} parts.routes by path; `/blocks/:id` takes one segment
   * @param {(url: string | null, error: Error | null) => void} parts.onState
   * @param {number} [parts.requestMs]
   * @param {number} [parts.unreadMs]
   */
  constructor ({ options, routes, onState, requestMs = REQUEST_MS, unreadMs = UNREAD_MS }) {
    this.#options = options
    this.#routes = routes
    this.#onState = onState
    this.#server = http.createServer({
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 75000, // longer than Prometheus' own scrape interval, a minute
      connectionsCheckingInterval: 1000,
      // Of two Host headers neither counts: a proxy may have looked at the other one.
      joinDuplicateHeaders: true
    })
    this.#server.timeout = unreadMs
    this.#server.on('connection', (socket) => this.#admit(socket))
    this.#server.on('request', (request, response) => { this.#handle(request, response) })
    this.#server.on('error', (error) => this.#failed(error))
    this.#server.on('listening', () => this.#onState(this.url, null))
    this.#listen()
  }

  /** @returns {string | null} */
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
      // Of a host that can be none Node.js 24 and later say so at once.
      this.#retry = setTimeout(() => this.#failed(error))
    }
  }

  /** @param {Error & { code?: string }} error */
  #failed (error) {
    const { port } = this.#options
    const next = port + this.#offset + 1
    if (error.code === 'EADDRINUSE' && !this.#closed && port !== 0 && next < port + PORTS && next <= LAST_PORT) {
      this.#offset++
      this.#listen()
      return
    }
    this.#offset = 0
    this.#onState(this.url, error)
    if (!this.#closed && !this.#server.listening) this.#retry = setTimeout(() => this.#listen(), RETRY_MS)
  }

  /** @param {import('node:net').Socket} socket */
  #admit (socket) {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    if (this.#sockets.size <= CONNECTIONS) return
    for (const oldest of this.#sockets) {
      if (this.#streaming.has(oldest)) continue
      oldest.destroy()
      return
    }
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #handle (request, response) {
    // To the young end: the oldest is then the one that has been idle longest.
    this.#sockets.delete(request.socket)
    this.#sockets.add(request.socket)
    // One piece read from a socket holds 2000 pipelined requests, whose answers would wait in memory together.
    const isPipelined = this.#answering.has(request.socket)
    this.#answering.add(request.socket)
    response.once('close', () => this.#answering.delete(request.socket))
    let reply
    try {
      reply = isPipelined ? ONE_AT_A_TIME : await this.#reply(request)
    } catch {
      reply = exports.json({ error: 'internal error' }, 500)
    }
    if (request.method !== 'HEAD' && !this.#unread.admit(Buffer.byteLength(reply.body), response)) reply = exports.BUSY
    try {
      this.#answer(request, response, reply)
    } catch {
      // What has been sent is not to be taken for a whole answer.
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

  /** @param {http.IncomingMessage} request @returns {Reply | Promise<Reply>} */
  #reply (request) {
    const { method, url = '/', headers } = request
    const { authority, path, query } = readAddress(url)
    if (!isNameAllowed(request, authority, this.#options.allowHosts)) return exports.json({ error: 'this Host is not served; see option allowHosts' }, 403)
    const [match, name = '', id = ''] = PATH.exec(path) ?? []
    const route = match === undefined ? undefined : this.#routes[id === '' ? `/${name}` : `/${name}/:id`]
    const methods = ['GET', 'HEAD', ...route?.takesOptions ? ['OPTIONS'] : []]
    if (!methods.includes(method ?? '')) return { ...exports.json({ error: `${methods.join(' and ')} only` }, 405), headers: { allow: methods.join(', ') } }
    if (route === undefined) return exports.json({ error: 'not found' }, 404)
    const accept = headers.accept ?? ''
    if (!route.isOpen?.(accept) && !isTokenValid(headers.authorization, this.#options.token)) {
      return { ...exports.json({ error: 'a bearer token is asked for' }, 401), headers: { 'www-authenticate': 'Bearer' } }
    }
    return route({ id, query: new URLSearchParams(query), accept, etag: headers['if-none-match'] ?? '' })
  }

  close () {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

exports.HttpServer = HttpServer
