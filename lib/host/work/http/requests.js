'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { LINE } = require('../../../bridge/probe')
const { ABORTED, pack } = require('../../../bridge/request-row')
const { nowMs } = require('../../../util/clock')
const { Connections, watchConnections } = require('./connections')
const { startFrameworks } = require('./frameworks')
const { Http2Watch, StreamRequest } = require('./http2')
const { ignoreRejection } = require('../../ignore-rejection')
const { countBytes } = require('./message-bytes')
const { RequestContext } = require('./context')
const { BacklogWindow } = require('./backlog-window')
const { hasContextFrame } = require('../../runtime')
const { IterationClock } = require('./iteration-clock')
const { RouteNumbers } = require('./route-numbers')
const { Contexts } = require('../contexts')
const { Work } = require('../work')

/**
 * @import { Bridge } from '../../../bridge/memory'
 * @import { HttpRequest } from '../../../types'
 * @import { Connection } from './connections'
 * @import { WaitingRequests } from './waiting-requests'
 * @import { IncomingMessage } from 'node:http'
 * @import { Server } from 'node:net'
 */

const REQUEST_START = 'http.server.request.start'
const RESPONSE_FINISH = 'http.server.response.finish'

/** Limit for the search of a connection's open requests, as the client decides how many there are. */
const MOST_PIPELINED = 100

/** The application's HTTP requests: a finished one is a row in the ring, an open one a context that the probe reads. */
class Requests {
  #bridge
  #routes
  #route
  #contexts
  #inFlight = 0
  #iteration = new IterationClock()
  #backlog = new BacklogWindow()
  #isStopped = false
  /** @type {RequestContext | undefined} the last that started */
  #latest
  #connections = new Connections(
    this.#guarded((/** @type {Connection} */ connection) => this.#abort(connection)))

  /** @type {WeakMap<object, RequestContext>} */
  #http2 = new WeakMap()
  #http2Watch
  #waiting
  #stopConnections
  #frameworks

  /**
   * @param {Bridge} bridge @param {{ route?: (request: HttpRequest) => unknown, routes?: number }} options
   * @param {Contexts} [contexts] shared with other kinds of work
   * @param {WaitingRequests | null} [waiting] reports those that a block delayed
   * @param {Server[]} [listening] servers that listen already
   */
  constructor (bridge, { route, routes }, contexts = new Contexts(), waiting = null, listening = []) {
    this.#waiting = waiting
    this.#bridge = bridge
    this.#contexts = contexts
    this.#routes = new RouteNumbers(bridge.routes, routes)
    this.#route = route
    diagnosticsChannel.subscribe(REQUEST_START, this.#onStart)
    diagnosticsChannel.subscribe(RESPONSE_FINISH, this.#onFinish)
    this.#http2Watch = new Http2Watch({
      started: this.#guarded((request) => {
        const context = this.#start(request)
        this.#http2.set(request, context)
        if (request instanceof StreamRequest && request.isGrpc) context.name(context.path)
      }),
      resumed: this.#guarded((request) => this.#enter(this.#http2.get(request))),
      ended: this.#guarded((request, status) => {
        const context = this.#http2.get(request)
        if (request instanceof StreamRequest && request.isUnimplemented) context?.name(null)
        this.#end(context, status)
      })
    })
    // If AsyncLocalStorage does not use async_hooks, the events of a request's body run in the connection's context.
    this.#stopConnections = hasContextFrame()
      ? watchConnections(this.#guarded((socket) => {
        // A connection that is made by hand while a request is handled is part of that request.
        if (!(this.#contexts.store instanceof RequestContext)) this.#enter(this.#connections.open(socket))
      }), listening)
      : () => {}
    this.#frameworks = startFrameworks((request, route) => this.#contextOf(request)?.name(route))
  }

  /**
   * An object that the application has changed must not throw an error into it: the request is counted as dropped.
   * @template {any[]} A @param {(...args: A) => unknown} handler @returns {(...args: A) => void}
   */
  #guarded (handler) {
    return (...args) => {
      try {
        handler(...args)
      } catch {
        this.#fault()
      }
    }
  }

  #fault () {
    this.#bridge.counters.add('badRequest', 1)
  }

  // Handlers that run for every request do not use #guarded().
  #onStart = (/** @type {any} */ { request, response, socket }) => {
    try {
      const connection = this.#connections.open(socket)
      const context = this.#start(request, connection.answeredAtMs)
      context.response = response
      this.#connections.add(socket, connection, context)
    } catch {
      this.#fault()
    }
  }

  /** @param {HttpRequest} request @param {number} [answeredAtMs] */
  #start (request, answeredAtMs = -Infinity) {
    const now = this.#iteration.nowMs()
    const context = new RequestContext(this.#contexts.nextId(), request, now, this.#backlog.isOn(now, answeredAtMs))
    this.#bridge.counters.setInFlight(++this.#inFlight)
    if (this.#route !== undefined) {
      context.route = this.#ask(this.#route, request)
      context.isNamedByApplication = context.route !== null
    }
    this.#latest = context
    this.#contexts.opened(context)
    this.#enter(context)
    return context
  }

  /** @param {RequestContext | Connection | undefined} store */
  #enter (store) {
    if (store !== undefined) this.#contexts.enter(store)
  }

  /** Null leaves it to the agent. @param {(request: HttpRequest) => unknown} route @param {HttpRequest} request */
  #ask (route, request) {
    try {
      const name = route(request)
      if (name === undefined || name === null) return null
      if (typeof name === 'string' && name !== '' && !name.includes(LINE)) return name
      ignoreRejection(name)
    } catch {
      // An error of the application's function is counted like a bad name.
    }
    this.#bridge.counters.add('badRoute', 1)
    return null
  }

  #onFinish = (/** @type {any} */ { request, response, socket }) => {
    try {
      // A response may outlive its connection, whose end has ended the request.
      const connection = this.#connections.get(socket)
      if (connection === undefined) return
      this.#end(this.#connections.take(socket, connection, request), response.statusCode, connection)
      countBytes(socket, connection)
    } catch {
      this.#fault()
    }
  }

  /** Ends the open requests of a closed connection, which were never answered. @param {Connection} connection */
  #abort (connection) {
    const { oldest } = connection
    connection.oldest = connection.latest = null
    for (let context = oldest; context !== null; context = context.next) this.#end(context, ABORTED)
  }

  /** @param {RequestContext | undefined} context @param {number} status @param {Connection} [connection] */
  #end (context, status, connection) {
    if (context === undefined || context.isEnded || this.#isStopped) return
    const { requests, counters } = this.#bridge
    counters.setInFlight(--this.#inFlight)
    this.#contexts.closed(context)
    const { id, startedAtMs, hasWaited, method } = context
    const now = nowMs()
    if (connection !== undefined) connection.answeredAtMs = now
    this.#waiting?.ended(context, now)
    context.waitedFor?.explains(context.waitedMs, now - startedAtMs)
    const route = this.#routes.numberOf(context.end(status), context.isGuess, status)
    requests.push(pack(route, method, status), hasWaited ? -startedAtMs : startedAtMs, now - startedAtMs, id)
  }

  /** @param {number} atMs of a beat after a block @param {number} idleMs of the loop so far */
  late (atMs, idleMs) {
    this.#backlog.begin(atMs, idleMs)
    this.#waiting?.late(atMs)
  }

  /** Without following, the latest request: certain only while its arrival is being handled. */
  current () {
    const { isFollowing, store } = this.#contexts
    if (!isFollowing) return { context: this.#latest, isCertain: false }
    if (store instanceof Work) return { context: store.request, isCertain: true }
    return { context: store instanceof RequestContext ? store : store?.latest ?? undefined, isCertain: true }
  }

  /** The context of a request, undefined after its end. @param {HttpRequest} request */
  #contextOf (request) {
    if (request.httpVersionMajor === 2) return this.#http2.get(request)
    const connection = this.#connections.get(/** @type {IncomingMessage} */ (request).socket)
    // A framework mostly names a request as it arrives.
    if (connection?.latest?.request === request) return connection?.latest ?? undefined
    let context = connection?.oldest
    for (let looked = 0; context && context.request !== request; looked++) {
      context = looked < MOST_PIPELINED ? context.next : undefined
    }
    return context ?? undefined
  }

  stop () {
    this.#isStopped = true
    diagnosticsChannel.unsubscribe(REQUEST_START, this.#onStart)
    diagnosticsChannel.unsubscribe(RESPONSE_FINISH, this.#onFinish)
    this.#http2Watch.stop()
    this.#stopConnections()
    this.#connections.stop()
    this.#frameworks.stop()
    this.#contexts.stop()
  }
}

exports.Requests = Requests

/** Used instead if requests are not monitored. */
exports.noRequests = {
  current: () => ({ context: /** @type {RequestContext | undefined} */ (undefined), isCertain: true }),
  late: () => {},
  stop: () => {}
}
