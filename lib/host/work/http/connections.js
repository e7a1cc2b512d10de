'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { hiddenProperty } = require('../../../util/globals')

/**
 * @import { HttpRequest } from '../../../types'
 * @import { RequestContext } from './context'
 * @import { Server, Socket } from 'node:net'
 */

const LISTEN = 'tracing:net.server.listen:asyncStart'
const SERVER_SOCKET = 'net.server.socket'
const EVENTS = ['connection', 'secureConnection']

/** The property of a socket that holds its connection. A later agent replaces that of an earlier one. */
const kConnection = Symbol('loopwatch.connection')

/**
 * @typedef {object} Connection the open requests of an HTTP/1 connection
 * @property {Connections} owner
 * @property {RequestContext | null} oldest open request; the others follow it (pipelining) and are answered in order
 * @property {RequestContext | null} latest open request
 * @property {number} answeredAtMs when its last answer was finished, -Infinity without one
 * @property {number} bytesRead by then @property {number} bytesWritten by then
 */

/**
 * Listens for a connection's end only while a request is open on it: Node.js hands a socket over to `upgrade` or
 * `connect` without an event, and no listener of ours may be on it then. Listening again for each request takes 0.04 to
 * 0.1 us (20.20, 22.23, 24.21, 26.10).
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

  /** @param {Socket} socket */
  open (socket) {
    const current = this.get(socket)
    if (current !== undefined) return current
    const kept = /** @type {any} */ (socket)
    const bytesWritten = kept._handle?.bytesWritten ?? 0
    // The first request of an agent on an older connection may have been read in part.
    const bytesRead = bytesWritten > 0 ? NaN : 0
    /** @type {Connection} */
    const connection = { owner: this, oldest: null, latest: null, answeredAtMs: -Infinity, bytesRead, bytesWritten }
    if (kept[kConnection] === undefined) {
      Object.defineProperty(socket, kConnection, hiddenProperty(connection))
    } else {
      // The listener is still there if an earlier agent was stopped with a request open.
      socket.removeListener('close', onSocketClose)
      kept[kConnection] = connection
    }
    return connection
  }

  /** @param {Socket} socket @param {Connection} connection @param {RequestContext} context */
  add (socket, connection, context) {
    if (connection.latest !== null) connection.latest.next = context
    else {
      connection.oldest = context
      socket.on('close', onSocketClose)
    }
    connection.latest = context
  }

  /** @param {Socket} socket @param {Connection} connection @param {HttpRequest} request that was answered */
  take (socket, connection, request) {
    const context = takeOut(connection, request)
    if (context !== undefined && connection.latest === null) socket.removeListener('close', onSocketClose)
    return context
  }

  /** @param {Connection} connection */
  closed (connection) {
    this.#onClose(connection)
  }

  /** Connections that outlive the agent keep this object alive, but from now on not the rest of the agent. */
  stop () {
    this.#onClose = () => {}
  }
}

/** @param {Connection} connection @param {HttpRequest} request */
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

/** One listener for all agents, as one that stops with requests open has no list of sockets. @this {any} a socket */
function onSocketClose () {
  const connection = this?.[kConnection]
  connection?.owner.closed(connection)
}

/**
 * Calls `enter` at the start of each connection to an HTTP/1 server, before the server's own code. A store that `enter`
 * sets in an AsyncLocalStorage holds for the parser, and so for events of bodies. Servers are noticed when they listen,
 * older ones at their first connection. Returns a function that stops this.
 * @param {(socket: Socket) => void} enter @param {Server[]} [listening] servers of any kind
 */
exports.watchConnections = (enter, listening = []) => {
  const servers = new ServerList()

  /** @param {Server | null | undefined} server */
  const add = (server) => {
    // Only servers of node:http and node:https have headersTimeout.
    if (!server || !('headersTimeout' in server) || !servers.add(server)) return
    for (const event of EVENTS) server.prependListener(event, enter)
    server.prependOnceListener('close', removeFrom)
  }
  /** Closed servers may be examined for listeners, and may listen again. @this {any} a server */
  function removeFrom () {
    servers.delete(this)
    for (const event of EVENTS) this.removeListener(event, enter)
    this.removeListener('close', removeFrom)
  }
  const onListen = (/** @type {any} */ { server }) => add(server)
  const onSocket = (/** @type {any} */ { socket }) => add(socket.server)

  for (const server of listening) add(server)
  diagnosticsChannel.subscribe(LISTEN, onListen)
  diagnosticsChannel.subscribe(SERVER_SOCKET, onSocket)
  return () => {
    diagnosticsChannel.unsubscribe(LISTEN, onListen)
    diagnosticsChannel.unsubscribe(SERVER_SOCKET, onSocket)
    for (const server of servers.living) removeFrom.call(server)
  }
}

/** Number of added servers after which references to collected ones are removed. */
const SWEEP = 64

/** Servers that have our listeners, without keeping them alive. */
class ServerList {
  #servers = new WeakSet()
  /** @type {Set<WeakRef<any>>} */
  #refs = new Set()
  #added = 0

  /** Returns whether the server is new. @param {object} server */
  add (server) {
    if (this.#servers.has(server)) return false
    this.#servers.add(server)
    this.#refs.add(new WeakRef(server))
    if (++this.#added % SWEEP === 0) {
      for (const ref of this.#refs) if (ref.deref() === undefined) this.#refs.delete(ref)
    }
    return true
  }

  /** @param {object} server */
  delete (server) {
    this.#servers.delete(server)
    for (const ref of this.#refs) if (ref.deref() === server) this.#refs.delete(ref)
  }

  get living () {
    return [...this.#refs].map((ref) => ref.deref()).filter((server) => server !== undefined)
  }
}

exports.kConnection = kConnection
exports.Connections = Connections
exports.ServerList = ServerList
