'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { hiddenValue } = require('./hidden-value')
const { ServerList } = require('./server-list')

const LISTEN = 'tracing:net.server.listen:asyncStart'
const SERVER_SOCKET = 'net.server.socket'
const EVENTS = ['connection', 'secureConnection']

/**
 * An HTTP/1 connection, as far as its requests are concerned.
 * @typedef {object} Connection
 * @property {import('./request-context').RequestContext | null} latest of its open requests; the others follow it (pipelining)
 * @property {number} answeredAtMs when its last answer was finished, -Infinity without one
 */

/** The connections of one agent. The end of each is listened for, not of each request. */
class Connections {
  /** An agent's own, so that one started after it begins anew. */
  #kConnection = Symbol('loopwatch.connection')
  #onClose

  /** @param {(connection: Connection) => void} onClose */
  constructor (onClose) {
    this.#onClose = onClose
  }

  /** @param {any} socket @returns {Connection | undefined} */
  get (socket) {
    return socket?.[this.#kConnection]
  }

  /** @param {import('node:net').Socket} socket @returns {Connection} */
  open (socket) {
    const known = this.get(socket)
    if (known !== undefined) return known
    /** @type {Connection} */
    const connection = { latest: null, answeredAtMs: -Infinity }
    Object.defineProperty(socket, this.#kConnection, hiddenValue(connection))
    socket.on('close', () => this.#onClose(connection))
    return connection
  }
}

/**
 * Runs at the beginning of each connection to an HTTP/1 server, before the server's own code: what is
 * entered into an AsyncLocalStorage there holds for the parser, and so for events of bodies. Servers
 * are found when they listen, older ones by their first connection.
 * @param {(socket: import('node:net').Socket) => void} enter
 * @returns {() => void} stops it
 */
exports.watchConnections = (enter) => {
  const servers = new ServerList()

  /** @param {import('node:net').Server | null | undefined} server */
  const add = (server) => {
    // Only servers of node:http and node:https have it.
    if (!server || !('headersTimeout' in server) || !servers.add(server)) return
    for (const event of EVENTS) server.prependListener(event, enter)
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
    for (const server of servers.living) {
      for (const event of EVENTS) server.removeListener(event, enter)
    }
  }
}

exports.Connections = Connections
