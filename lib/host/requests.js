'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const diagnosticsChannel = require('node:diagnostics_channel')
const { LINE } = require('../bridge/answer')
const { ABORTED, pack } = require('../bridge/request-row')
const { nowMs } = require('../clock')
const { connectionOf, watchConnections } = require('./connections')
const { startFrameworks } = require('./frameworks')
const { watchHttp2 } = require('./http2')
const { RequestContext } = require('./request-context')
const { hasContextFrame } = require('./runtime')

const REQUEST_START = 'http.server.request.start'
const RESPONSE_FINISH = 'http.server.response.finish'

/** @typedef {import('node:http').IncomingMessage | import('node:http2').Http2ServerRequest} HttpRequest */

/**
 * Senses the HTTP requests of the application: each finished one is a row in the ring, and each one
 * open a context that the probe reads in mid-block. Of each connection, not of each request, is
 * asked to tell its end.
 */
class Requests {
  #bridge
  #route
  #lastId = 0
  #inFlight = 0
  /** @type {AsyncLocalStorage<RequestContext | import('./connections').Connection>} */
  #storage = new AsyncLocalStorage()
  #isFollowing = false
  /** @type {RequestContext | undefined} the last that started */
  #latest
  /** @type {WeakMap<object, RequestContext>} */
  #http2 = new WeakMap()
  #stopHttp2
  #stopConnections
  #frameworks

  /**
   * @param {import('../bridge/bridge').Bridge} bridge
   * @param {{ route?: (request: HttpRequest) => unknown }} options
   */
  constructor (bridge, { route }) {
    this.#bridge = bridge
    this.#route = route
    diagnosticsChannel.subscribe(REQUEST_START, this.#onStart)
    diagnosticsChannel.subscribe(RESPONSE_FINISH, this.#onFinish)
    this.#stopHttp2 = watchHttp2({
      started: (request) => this.#http2.set(request, this.#start(request)),
      resumed: (request) => {
        if (this.#isFollowing) this.#storage.enterWith(/** @type {RequestContext} */ (this.#http2.get(request)))
      },
      ended: (request, status) => this.#end(/** @type {RequestContext} */ (this.#http2.get(request)), status)
    })
    // Where AsyncLocalStorage comes without async_hooks, the events of a request's body are the connection's.
    this.#stopConnections = hasContextFrame()
      ? watchConnections((socket) => { if (this.#isFollowing) this.#storage.enterWith(connectionOf(socket, this.#onClose)) })
      : () => {}
    this.#frameworks = startFrameworks((request, route) => this.#contextOf(request)?.name(route))
  }

  /** @param {any} message */
  #onStart = ({ request, socket }) => {
    const context = this.#start(request)
    const connection = connectionOf(socket, this.#onClose)
    context.next = connection.latest
    connection.latest = context
  }

  /** @param {HttpRequest} request */
  #start (request) {
    const context = new RequestContext(++this.#lastId, request, nowMs())
    this.#bridge.counters.setInFlight(++this.#inFlight)
    if (this.#route !== undefined) {
      context.route = this.#ask(this.#route, request)
      context.isGiven = context.route !== null
    }
    this.#latest = context
    if (this.#isFollowing) this.#storage.enterWith(context)
    return context
  }

  /** What the application calls the route; null where it leaves that to us. @param {(request: HttpRequest) => unknown} route @param {HttpRequest} request */
  #ask (route, request) {
    try {
      const name = route(request)
      if (name === undefined || name === null) return null
      if (typeof name === 'string' && name !== '' && !name.includes(LINE)) return name
    } catch {
      // An error of the application's is counted like any other nonsense.
    }
    this.#bridge.counters.add('badRoute', 1)
    return null
  }

  /** @param {any} message */
  #onFinish = ({ request, response, socket }) => {
    // A response may outlive its connection, whose end has then been told already.
    if (!socket) return
    const connection = connectionOf(socket, this.#onClose)
    let newer = null
    for (let context = connection.latest; context !== null; context = context.next) {
      if (context.request === request) {
        if (newer === null) connection.latest = context.next
        else newer.next = context.next
        return this.#end(context, response.statusCode)
      }
      newer = context
    }
  }

  /** What was open on a closed connection was never answered. @param {import('./connections').Connection} connection */
  #onClose = (connection) => {
    for (let context = connection.latest; context !== null; context = context.next) this.#end(context, ABORTED)
    connection.latest = null
  }

  /** @param {RequestContext} context @param {number} status */
  #end (context, status) {
    const { requests, routes, counters } = this.#bridge
    counters.setInFlight(--this.#inFlight)
    const { id, startedAtMs, method } = context
    requests.push(pack(routes.numberOf(context.end(status)), method, status), startedAtMs, nowMs() - startedAtMs, id)
  }

  /** Whether requests are followed through asynchronous work from now on. @param {boolean} on */
  follow (on) {
    this.#isFollowing = on
    if (!on) this.#storage.disable()
  }

  /**
   * The request being worked on, and whether that is certain: where requests are not followed it is
   * the last that came, true only if it is its very arrival that is being worked on.
   */
  current () {
    if (!this.#isFollowing) return { context: this.#latest, isCertain: false }
    const store = this.#storage.getStore()
    return { context: store instanceof RequestContext ? store : store?.latest ?? undefined, isCertain: true }
  }

  /** @param {HttpRequest} request @returns {RequestContext | undefined} of a request that has not ended */
  #contextOf (request) {
    if (request.httpVersionMajor === 2) return this.#http2.get(request)
    if (!request.socket) return undefined
    let context = connectionOf(request.socket, this.#onClose).latest
    while (context !== null && context.request !== request) context = context.next
    return context ?? undefined
  }

  stop () {
    diagnosticsChannel.unsubscribe(REQUEST_START, this.#onStart)
    diagnosticsChannel.unsubscribe(RESPONSE_FINISH, this.#onFinish)
    this.#stopHttp2()
    this.#stopConnections()
    this.#frameworks.stop()
    this.follow(false)
  }
}

exports.Requests = Requests

/** Stands in where requests are not watched. */
exports.noRequests = {
  current: () => ({ context: /** @type {RequestContext | undefined} */ (undefined), isCertain: true }),
  follow: () => {},
  stop: () => {}
}
