'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const diagnosticsChannel = require('node:diagnostics_channel')
const { ABORTED, pack } = require('../bridge/request-row')
const { nowMs } = require('../clock')
const { watchHttp2 } = require('./http2')
const { RequestContext } = require('./request-context')

const REQUEST_START = 'http.server.request.start'
const RESPONSE_FINISH = 'http.server.response.finish'

/** The first open request of a connection. */
const kOpen = Symbol('loopwatch.open')

/** @typedef {import('node:http').IncomingMessage | import('node:http2').Http2ServerRequest} HttpRequest */
/** @typedef {import('node:net').Socket & { [kOpen]: RequestContext | null }} Connection */

/**
 * Senses the HTTP requests of the application: each finished one is a row in the ring, and each one
 * open a context that the probe reads in mid-block. Of each connection, not of each request, is
 * asked to tell its end.
 */
class Requests {
  #bridge
  #route
  #lastId = 0
  /** @type {AsyncLocalStorage<RequestContext>} */
  #storage = new AsyncLocalStorage()
  #isFollowing = false
  /** @type {RequestContext | undefined} the last that started */
  #latest
  /** @type {WeakMap<object, RequestContext>} */
  #http2 = new WeakMap()
  #stopHttp2

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
      ended: (request, status) => this.#end(/** @type {RequestContext} */ (this.#http2.get(request)), status)
    })
  }

  /** @param {any} message */
  #onStart = ({ request, socket }) => {
    const context = this.#start(request)
    if (socket[kOpen] === undefined) {
      Object.defineProperty(socket, kOpen, { value: null, writable: true })
      socket.on('close', this.#onClose)
    }
    context.next = socket[kOpen]
    socket[kOpen] = context
  }

  /** @param {HttpRequest} request */
  #start (request) {
    const context = new RequestContext(++this.#lastId, request, nowMs())
    this.#bridge.counters.add('inFlight', 1)
    if (this.#route !== undefined) context.route = this.#ask(this.#route, request)
    this.#latest = context
    if (this.#isFollowing) this.#storage.enterWith(context)
    return context
  }

  /** What the application calls the route; null where it leaves that to us. @param {(request: HttpRequest) => unknown} route @param {HttpRequest} request */
  #ask (route, request) {
    try {
      const name = route(request)
      if (name === undefined || name === null) return null
      if (typeof name === 'string' && name !== '') return name
    } catch {
      // An error of the application's is counted like any other nonsense.
    }
    this.#bridge.counters.add('badRoute', 1)
    return null
  }

  /** @param {any} message */
  #onFinish = ({ request, response, socket }) => {
    let previous = null
    for (let context = socket?.[kOpen] ?? null; context !== null; context = context.next) {
      if (context.request === request) {
        if (previous === null) socket[kOpen] = context.next
        else previous.next = context.next
        return this.#end(context, response.statusCode)
      }
      previous = context
    }
  }

  /** A connection closed: what was open on it was never answered. */
  #onClose = ((/** @type {Requests} */ requests) => /** @this {Connection} */ function () {
    for (let context = this[kOpen]; context !== null; context = context.next) requests.#end(context, ABORTED)
    this[kOpen] = null
  })(this)

  /** @param {RequestContext} context @param {number} status */
  #end (context, status) {
    const { requests, routes, counters } = this.#bridge
    counters.add('inFlight', -1)
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
    return this.#isFollowing ? { context: this.#storage.getStore(), isCertain: true } : { context: this.#latest, isCertain: false }
  }

  /** @param {HttpRequest} request @returns {RequestContext | undefined} of a request that has not ended */
  #contextOf (request) {
    if (request.httpVersionMajor === 2) return this.#http2.get(request)
    let context = /** @type {Connection} */ (request.socket)?.[kOpen]
    while (context && context.request !== request) context = context.next
    return context ?? undefined
  }

  /** A framework has found the route of a request. @param {HttpRequest} request @param {string} route */
  name (request, route) {
    const context = this.#contextOf(request)
    if (context !== undefined) context.route ??= route
  }

  stop () {
    diagnosticsChannel.unsubscribe(REQUEST_START, this.#onStart)
    diagnosticsChannel.unsubscribe(RESPONSE_FINISH, this.#onFinish)
    this.#stopHttp2()
    this.follow(false)
  }
}

exports.Requests = Requests

/** Stands in where requests are not watched. */
exports.noRequests = {
  current: () => ({ context: /** @type {RequestContext | undefined} */ (undefined), isCertain: true }),
  follow: () => {},
  name: () => {},
  stop: () => {}
}
