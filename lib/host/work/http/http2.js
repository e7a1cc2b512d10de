'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED } = require('../../../bridge/request-row')
const { ServerList } = require('./server-list')
const { StreamRequest } = require('./http2-request')

const SERVER_SOCKET = 'net.server.socket'
/** Not on Node.js 20, where the sessions a server had before are not seen until it is known. */
const STREAM_CREATED = 'http2.server.stream.created'
const HTTP2_SERVERS = ['Http2Server', 'Http2SecureServer']

/** Of the process: sessions last for days, so that an agent may meet those of servers that an earlier one has known. */
const everKnown = new ServerList()

/** @typedef {import('node:http2').Http2ServerRequest | StreamRequest} Http2Request */

/**
 * @typedef {object} Handlers
 * @property {(request: Http2Request) => void} started
 * @property {(request: Http2Request) => void} resumed its body has come
 * @property {(request: Http2Request, status: number) => void} ended
 */

/**
 * Tells the requests of HTTP/2 servers. Node.js has no channel for those on 20, so each server, known by
 * a connection or a stream, is listened to like any other listener of its `request` event does; one of
 * raw streams at its `stream` event, as a listener for requests would switch the compatibility API on.
 */
class Http2Watch {
  #handlers
  #servers = new ServerList()
  #ofStreams = new ServerList()
  /** One server may hand a request on to another, which has it begin again. @type {WeakSet<object>} */
  #seen = new WeakSet()
  #onServerStream

  /** @param {Handlers} handlers */
  constructor (handlers) {
    this.#handlers = handlers
    const watch = this
    /**
     * @this {any} the server
     * @param {import('node:http2').ServerHttp2Stream} stream
     * @param {import('node:http2').IncomingHttpHeaders} headers
     * @param {number} _flags
     * @param {string[]} rawHeaders
     */
    this.#onServerStream = function (stream, headers, _flags, rawHeaders) {
      if (this.listenerCount('request') === 0) watch.#begin(new StreamRequest(stream, headers, rawHeaders), stream)
      // It has become one of the compatibility API, which tells of this stream.
      else watch.#add(this)
    }
    for (const server of everKnown.living) this.#add(server)
    diagnosticsChannel.subscribe(SERVER_SOCKET, this.#onSocket)
    diagnosticsChannel.subscribe(STREAM_CREATED, this.#onStream)
  }

  /** @param {any} server */
  #add (server) {
    if (!HTTP2_SERVERS.includes(server?.constructor?.name)) return
    if (server.listenerCount('request') > 0) {
      if (this.#servers.add(server)) server.prependListener('request', this.#onRequest)
    } else if (server.listenerCount('stream') > 0) {
      if (this.#ofStreams.add(server)) server.prependListener('stream', this.#onServerStream)
    } else {
      return
    }
    everKnown.add(server)
  }

  #onSocket = (/** @type {any} */ { socket }) => this.#add(socket.server)

  #onStream = (/** @type {any} */ { stream }) => {
    try {
      this.#add(stream.session.socket.server)
    } catch {
      // Its session has lost its socket meanwhile.
    }
  }

  #onRequest = (/** @type {import('node:http2').Http2ServerRequest} */ request) => {
    // With allowHTTP1 older clients come this way too, and are told by the channels of node:http.
    if (request.httpVersionMajor !== 2 || this.#seen.has(request)) return
    this.#seen.add(request)
    this.#begin(request, request)
  }

  /** @param {Http2Request} request @param {import('node:stream').Readable} body */
  #begin (request, body) {
    const { started, resumed, ended } = this.#handlers
    started(request)
    // Its body's events come in the session's context, not in the one it is being handled in.
    body.prependListener('end', () => resumed(request))
    const { stream } = request
    stream.once('close', () => ended(request, statusOf(stream)))
  }

  stop () {
    diagnosticsChannel.unsubscribe(SERVER_SOCKET, this.#onSocket)
    diagnosticsChannel.unsubscribe(STREAM_CREATED, this.#onStream)
    for (const server of this.#servers.living) server.removeListener('request', this.#onRequest)
    for (const server of this.#ofStreams.living) server.removeListener('stream', this.#onServerStream)
  }
}

/**
 * As it was sent: an answer by way of the stream (files, above all) leaves the response object as it was.
 * @param {any} stream
 */
function statusOf ({ rstCode, writableFinished, sentHeaders }) {
  return rstCode === 0 && writableFinished ? sentHeaders?.[':status'] ?? ABORTED : ABORTED
}

exports.Http2Watch = Http2Watch
