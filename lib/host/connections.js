'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')

const LISTEN = 'tracing:net.server.listen:asyncStart'
const SERVER_SOCKET = 'net.server.socket'

const kConnection = Symbol('loopwatch.connection')

/**
 * An HTTP/1 connection, as far as its requests are concerned.
 * @typedef {object} Connection
 * @property {import('./request-context').RequestContext | null} latest of its open requests; the others follow it (pipelining)
 */

/**
 * What is known of a connection; the first to ask hears of its end.
 * @param {import('node:net').Socket} socket
 * @param {(connection: Connection) => void} onClose
 * @returns {Connection}
 */
exports.connectionOf = (socket, onClose) => {
  const found = /** @type {any} */ (socket)[kConnection]
  if (found !== undefined) return found
  const connection = { latest: null }
  Object.defineProperty(socket, kConnection, { value: connection })
  socket.on('close', () => onClose(connection))
  return connection
}

/**
 * Runs at the beginning of each connection to an HTTP/1 server, before the server's own code: what is
 * entered into an AsyncLocalStorage there holds for the parser, and so for events of bodies. Servers
 * are found when they listen, older ones by their first connection.
 * @param {(socket: import('node:net').Socket) => void} enter
 * @returns {() => void} stops it
 */
exports.watchConnections = (enter) => {
  /** @type {Set<WeakRef<import('node:net').Server>>} */
  const servers = new Set()
  const known = new WeakSet()
  const events = ['connection', 'secureConnection']

  /** @param {import('node:net').Server | null | undefined} server */
  const add = (server) => {
    // Only servers of node:http and node:https have it.
    if (!server || known.has(server) || !('headersTimeout' in server)) return
    known.add(server)
    servers.add(new WeakRef(server))
    for (const event of events) server.prependListener(event, enter)
  }
  /** @param {any} message */
  const onListen = ({ server }) => add(server)
  /** @param {any} message */
  const onSocket = ({ socket }) => add(socket.server)

  diagnosticsChannel.subscribe(LISTEN, onListen)
  diagnosticsChannel.subscribe(SERVER_SOCKET, onSocket)
  return () => {
    diagnosticsChannel.unsubscribe(LISTEN, onListen)
    diagnosticsChannel.unsubscribe(SERVER_SOCKET, onSocket)
    for (const server of servers) {
      for (const event of events) server.deref()?.removeListener(event, enter)
    }
  }
}
