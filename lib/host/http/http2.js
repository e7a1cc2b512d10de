'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED } = require('../../bridge/request-row')
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
 * Tells the requests of HTTP/2 servers. Node.js has no channel for those on 20, so each server, known by
 * a connection or a stream, is listened to like any other listener of its `request` event does; one of
 * raw streams at its `stream` event, as a listener for requests would switch the compatibility API on.
 * @param {object} handlers
 * @param {(request: Http2Request) => void} handlers.started
 * @param {(request: Http2Request) => void} handlers.resumed its body has come
 * @param {(request: Http2Request, status: number) => void} handlers.ended
 * @returns {() => void} stops it
 */
exports.watchHttp2 = ({ started, resumed, ended }) => {
  const servers = new ServerList()
  const ofStreams = new ServerList()
  /** One server may hand a request on to another, which has it begin anew. @type {WeakSet<object>} */
  const seen = new WeakSet()

  /** @param {any} server */
  const add = (server) => {
    if (!HTTP2_SERVERS.includes(server?.constructor?.name)) return
    if (server.listenerCount('request') > 0) {
      if (servers.add(server)) server.prependListener('request', onRequest)
    } else if (server.listenerCount('stream') > 0) {
      if (ofStreams.add(server)) server.prependListener('stream', onServerStream)
    } else {
      return
    }
    everKnown.add(server)
  }
  /** @param {any} message */
  const onSocket = ({ socket }) => add(socket.server)
  /** @param {any} message */
  const onStream = ({ stream }) => {
    try {
      add(stream.session.socket.server)
    } catch {
      // Its session has lost its socket meanwhile.
    }
  }

  /** @param {import('node:http2').Http2ServerRequest} request */
  const onRequest = (request) => {
    // With allowHTTP1 older clients come this way too, and are told by the channels of node:http.
    if (request.httpVersionMajor !== 2 || seen.has(request)) return
    seen.add(request)
    begin(request, request)
  }

  /**
   * @this {any} the server
   * @param {import('node:http2').ServerHttp2Stream} stream
   * @param {import('node:http2').IncomingHttpHeaders} headers
   * @param {number} _flags
   * @param {string[]} rawHeaders
   */
  function onServerStream (stream, headers, _flags, rawHeaders) {
    // It has become one of the compatibility API, which tells of this one.
    if (this.listenerCount('request') === 0) begin(new StreamRequest(stream, headers, rawHeaders), stream)
    else add(this)
  }

  /** @param {Http2Request} request @param {import('node:stream').Readable} body */
  function begin (request, body) {
    started(request)
    // Its body's events come in the session's context, not in the one it is being handled in.
    body.prependListener('end', () => resumed(request))
    const { stream } = request
    stream.once('close', () => ended(request, statusOf(stream)))
  }

  for (const server of everKnown.living) add(server)
  diagnosticsChannel.subscribe(SERVER_SOCKET, onSocket)
  diagnosticsChannel.subscribe(STREAM_CREATED, onStream)
  return () => {
    diagnosticsChannel.unsubscribe(SERVER_SOCKET, onSocket)
    diagnosticsChannel.unsubscribe(STREAM_CREATED, onStream)
    for (const server of servers.living) server.removeListener('request', onRequest)
    for (const server of ofStreams.living) server.removeListener('stream', onServerStream)
  }
}

/**
 * As it was sent: an answer by way of the stream (files, above all) leaves the response object as it was.
 * @param {any} stream
 */
function statusOf ({ rstCode, writableFinished, sentHeaders }) {
  return rstCode === 0 && writableFinished ? sentHeaders?.[':status'] ?? ABORTED : ABORTED
}
