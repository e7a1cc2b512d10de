'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { hiddenProperty } = require('../../../util/define-hidden')
const { ServerList } = require('./server-list')

const LISTEN = 'tracing:net.server.listen:asyncStart'
const SERVER_SOCKET = 'net.server.socket'
const EVENTS = ['connection', 'secureConnection']

/** On a socket: what the latest agent that has seen it keeps of it. */
const kConnection = Symbol('loopwatch.connection')

/**
 * An HTTP/1 connection, as far as its requests are concerned.
 * @typedef {object} Connection
 * @property {Connections} owner
 * @property {import('./context').RequestContext | null} oldest of its open requests; the others follow it (pipelining).
 * They are answered in this order, so the one that is answered is found at once, however many there are
 * @property {import('./context').RequestContext | null} latest of them
 * @property {number} answeredAtMs when its last answer was finished, -Infinity without one
 */

/**
 * The connections of one agent, which begins again. The end of a connection is listened for while a request is open
 * on it, and not beyond: Node.js takes its own listeners off a socket that `upgrade` or `connect` hands over, tells
 * nobody, and such a request is none here. So nothing of ours is on that socket. To listen again for each request
 * takes 0.04 to 0.1 us (20.20, 22.23, 24.21, 26.10).
 */
class Connections {
  #onClose

  /** @param {(connection: Connection) => void} onClose */
  constructor (onClose) {
    this.#onClose = onClose
  }

  /** @param {any} socket @returns {Connection | undefined} */
  get (socket) {
    const connection = socket?.[kConnection]
    return connection?.owner === this ? connection : undefined
  }

  /** @param {import('node:net').Socket} socket @returns {Connection} */
  open (socket) {
    const known = this.get(socket)
    if (known !== undefined) return known
    /** @type {Connection} */
    const connection = { owner: this, oldest: null, latest: null, answeredAtMs: -Infinity }
    const kept = /** @type {any} */ (socket)
    if (kept[kConnection] === undefined) {
      Object.defineProperty(socket, kConnection, hiddenProperty(connection))
    } else {
      // It is still there if an earlier agent was stopped with a request open.
      socket.removeListener('close', onSocketClose)
      kept[kConnection] = connection
    }
    return connection
  }

  /**
   * A request begins.
   * @param {import('node:net').Socket} socket
   * @param {Connection} connection the socket's
   * @param {import('./context').RequestContext} context
   */
  add (socket, connection, context) {
    if (connection.latest !== null) connection.latest.next = context
    else {
      connection.oldest = context
      socket.on('close', onSocketClose)
    }
    connection.latest = context
  }

  /**
   * A request has been answered.
   * @param {import('node:net').Socket} socket
   * @param {Connection} connection the socket's
   * @param {import('./requests').HttpRequest} request
   * @returns {import('./context').RequestContext | undefined} undefined where it was not open
   */
  take (socket, connection, request) {
    const context = takeOut(connection, request)
    if (context !== undefined && connection.latest === null) socket.removeListener('close', onSocketClose)
    return context
  }

  /** @param {Connection} connection */
  closed (connection) {
    this.#onClose(connection)
  }

  /** Connections that stay hold on to this, but then not to the rest of the agent. */
  stop () {
    this.#onClose = () => {}
  }
}

/**
 * The open request's context, which is then no longer of the connection.
 * @param {Connection} connection
 * @param {import('./requests').HttpRequest} request
 */
function takeOut (connection, request) {
  let older = null
  for (let context = connection.oldest; context !== null; context = context.next) {
    if (context.request === request) {
      if (older === null) connection.oldest = context.next
      else older.next = context.next
      if (context === connection.latest) connection.latest = older
      context.next = null
      return context
    }
    older = context
  }
}

/**
 * One for all agents: to take it off where one stops with requests open, it would have to keep a list of their
 * connections, so it stays there until the next agent sees the connection, or its end.
 * @this {any} a socket
 */
function onSocketClose () {
  const connection = this?.[kConnection]
  connection?.owner.closed(connection)
}

/**
 * Runs at the beginning of each connection to an HTTP/1 server, before the server's own code: what is
 * entered into an AsyncLocalStorage there holds for the parser, and so for events of bodies. Servers
 * are found when they listen, older ones by their first connection.
 * @param {(socket: import('node:net').Socket) => void} enter
 * @param {import('node:net').Server[]} [listening] servers that listen already, of whatever kind
 * @returns {() => void} stops it
 */
exports.watchConnections = (enter, listening = []) => {
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

  for (const server of listening) add(server)
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
