'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED } = require('../bridge/request-row')
const { ServerList } = require('./server-list')

const SERVER_SOCKET = 'net.server.socket'
/** Not on Node.js 20, where the sessions a server had before are not seen until it is known. */
const STREAM_CREATED = 'http2.server.stream.created'
const HTTP2_SERVERS = ['Http2Server', 'Http2SecureServer']

/** Of the process: sessions last for days, so that an agent may meet those of servers that an earlier one has known. */
const everKnown = new ServerList()

/**
 * Tells the requests of HTTP/2 servers that use the compatibility API. Node.js has no channel for
 * those on 20, so each such server, known by a connection or a stream, is listened to like any other
 * listener of its `request` event does. A server of raw streams is left alone: a listener would
 * switch the compatibility API on.
 * @param {object} handlers
 * @param {(request: import('node:http2').Http2ServerRequest) => void} handlers.started
 * @param {(request: import('node:http2').Http2ServerRequest) => void} handlers.resumed its body has come
 * @param {(request: import('node:http2').Http2ServerRequest, status: number) => void} handlers.ended
 * @returns {() => void} stops it
 */
exports.watchHttp2 = ({ started, resumed, ended }) => {
  const servers = new ServerList()
  /** One server may hand a request on to another, which has it begin anew. @type {WeakSet<object>} */
  const seen = new WeakSet()

  /** @param {any} server */
  const add = (server) => {
    if (!HTTP2_SERVERS.includes(server?.constructor?.name) || server.listenerCount('request') === 0) return
    if (!servers.add(server)) return
    everKnown.add(server)
    server.prependListener('request', onRequest)
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
    started(request)
    // Its body's events come in the session's context, not in the one it is being handled in.
    request.prependListener('end', () => resumed(request))
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
  }
}

/** As it was sent: an answer by way of the stream (files, above all) leaves the response object as it was. @param {any} stream */
function statusOf ({ rstCode, writableFinished, sentHeaders }) {
  return rstCode === 0 && writableFinished ? sentHeaders?.[':status'] ?? ABORTED : ABORTED
}
