'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED } = require('../bridge/request-row')
const { ServerList } = require('./server-list')

const SERVER_SOCKET = 'net.server.socket'
const HTTP2_SERVERS = ['Http2Server', 'Http2SecureServer']

/**
 * Tells the requests of HTTP/2 servers that use the compatibility API. Node.js has no channel for
 * them on 20, so each such server, known by its first connection, is listened to like any other
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

  /** @param {any} message */
  const onSocket = ({ socket: { server } }) => {
    if (!HTTP2_SERVERS.includes(server?.constructor?.name) || server.listenerCount('request') === 0) return
    if (servers.add(server)) server.prependListener('request', onRequest)
  }

  /** @param {import('node:http2').Http2ServerRequest} request @param {import('node:http2').Http2ServerResponse} response */
  const onRequest = (request, response) => {
    // With allowHTTP1 older clients come this way too, and are told by the channels of node:http.
    if (request.httpVersionMajor !== 2) return
    started(request)
    // Its body's events come in the session's context, not in the one it is being handled in.
    request.prependListener('end', () => resumed(request))
    const { stream } = request
    stream.once('close', () => ended(request, stream.rstCode === 0 && response.writableEnded ? response.statusCode : ABORTED))
  }

  diagnosticsChannel.subscribe(SERVER_SOCKET, onSocket)
  return () => {
    diagnosticsChannel.unsubscribe(SERVER_SOCKET, onSocket)
    for (const server of servers.living) server.removeListener('request', onRequest)
  }
}
