'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED } = require('../../../bridge/request-row')
const { ServerList } = require('./connections')

/**
 * @import { Http2ServerRequest, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
 * @import { Readable } from 'node:stream'
 */

const SERVER_SOCKET = 'net.server.socket'
/** Channel of new streams, which Node.js 20 lacks: a server's older sessions are then missed until it is known. */
const STREAM_CREATED = 'http2.server.stream.created'
const HTTP2_SERVERS = ['Http2Server', 'Http2SecureServer']

/** Servers of all agents: sessions last days, so an agent may meet some of a server that an earlier one knew. */
const allServers = new ServerList()

const GRPC = 'application/grpc'
/** Status of an unknown method: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
const UNIMPLEMENTED = '12'

/** An HTTP/2 stream served without the compatibility API (as gRPC is), with the properties of that API's requests. */
class StreamRequest {
  /** @param {ServerHttp2Stream} stream @param {IncomingHttpHeaders} headers @param {string[]} rawHeaders */
  constructor (stream, headers, rawHeaders) {
    this.httpVersionMajor = 2
    this.method = headers[':method']
    this.url = headers[':path']
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.stream = stream
  }

  /** The path of a gRPC call is the name of a method. */
  get isGrpc () {
    const type = this.headers['content-type']
    return typeof type === 'string' && type.startsWith(GRPC)
  }

  /** Whether gRPC has no such method, which it also answers with 200. */
  get isUnimplemented () {
    const { sentTrailers, sentHeaders } = this.stream
    return this.isGrpc && `${sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status']}` === UNIMPLEMENTED
  }
}

/** @typedef {Http2ServerRequest | StreamRequest} Http2Request */

/**
 * @typedef {object} Handlers
 * @property {(request: Http2Request) => void} started
 * @property {(request: Http2Request) => void} resumed its body has arrived
 * @property {(request: Http2Request, status: number) => void} ended
 */

/**
 * Listens to the `request` event of each HTTP/2 server, as Node.js 20 has no channel for requests. A server shows by a
 * connection or a stream. On a server of raw streams it listens to `stream`: a listener for requests would switch the
 * compatibility API on.
 */
class Http2Watch {
  #handlers
  #servers = new ServerList()
  #ofStreams = new ServerList()
  /** A server may hand a request on to another server, which emits it again. @type {WeakSet<object>} */
  #begun = new WeakSet()
  #onServerStream

  /** @param {Handlers} handlers */
  constructor (handlers) {
    this.#handlers = handlers
    const watch = this
    /**
     * @this {any} the server @param {ServerHttp2Stream} stream
     * @param {IncomingHttpHeaders} headers @param {number} _flags @param {string[]} rawHeaders
     */
    this.#onServerStream = function (stream, headers, _flags, rawHeaders) {
      if (this.listenerCount('request') === 0) watch.#begin(new StreamRequest(stream, headers, rawHeaders), stream)
      // The server now uses the compatibility API, which reports this stream.
      else watch.#add(this)
    }
    for (const server of allServers.living) this.#add(server)
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
    allServers.add(server)
  }

  #onSocket = (/** @type {any} */ { socket }) => this.#add(socket.server)

  #onStream = (/** @type {any} */ { stream }) => {
    try {
      this.#add(stream.session.socket.server)
    } catch {
      // The session has lost its socket.
    }
  }

  #onRequest = (/** @type {Http2ServerRequest} */ request) => {
    // HTTP/1 requests arrive here with allowHTTP1; the channels of node:http report those.
    if (request.httpVersionMajor !== 2 || this.#begun.has(request)) return
    this.#begun.add(request)
    this.#begin(request, request)
  }

  /** @param {Http2Request} request @param {Readable} body */
  #begin (request, body) {
    const { started, resumed, ended } = this.#handlers
    started(request)
    // The body's events run in the session's async context, not in the request's.
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

/** The status as sent: an answer through the stream (a file, say) does not set the response's. @param {any} stream */
function statusOf ({ rstCode, writableFinished, sentHeaders }) {
  return rstCode === 0 && writableFinished ? sentHeaders?.[':status'] ?? ABORTED : ABORTED
}

exports.Http2Watch = Http2Watch
exports.StreamRequest = StreamRequest
