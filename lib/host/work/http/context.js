'use strict'

const { ABORTED, OTHER_METHOD } = require('../../../bridge/request-row')
const { pathOf, pathTemplate } = require('./path-template')
const { routeOfExpress } = require('./frameworks/express')
const { bytesOf } = require('./message-bytes')
const { traceIdOf } = require('./trace-id')

/**
 * @import { HttpRequest } from '../../../types'
 * @import { Item } from '../open-work'
 * @import { Peer } from '../waits'
 * @import { ServerResponse } from 'node:http'
 */

const ROUTE_CHARS = 200
/** Limit for methods: an HTTP/2 client can make one up, whose length would take the room of a stack. */
const METHOD_CHARS = 32

/** The route of a request that matched none. */
const UNMATCHED = '(unmatched)'

/**
 * One HTTP request, followed through its awaits, timers and listeners. A resource that outlives it, such as a pooled
 * connection, keeps this object alive, so the object releases the request at its end.
 */
class RequestContext {
  /**
   * @param {number} id unique within the process @param {HttpRequest} request @param {number} startedAtMs monotonic
   * @param {boolean} hasWaited the request may have waited to be read while the loop was blocked
   */
  constructor (id, request, startedAtMs, hasWaited) {
    this.id = id
    this.startedAtMs = startedAtMs
    this.hasWaited = hasWaited
    const { method } = request
    this.method = typeof method === 'string' && method.length <= METHOD_CHARS ? method : OTHER_METHOD
    /** The whole URL: a router removes its mount path from `request.url` while it runs. */
    this.url = request.url
    /** @type {typeof request | null} null after its end */
    this.request = request
    /** @type {ServerResponse | null} null for HTTP/2 and after its end */
    this.response = null
    /** The peer that it waited for most, and how long. @type {Peer | null} */
    this.waitedFor = null
    this.waitedMs = 0
    /** Whether its client went away before it was answered. Set at the end. */
    this.isAborted = false
    /** @type {string | null} from a framework or the application */
    this.route = null
    /** Whether the application's own function named the route, which frameworks then cannot change. */
    this.isNamedByApplication = false
    this.isUnmatched = false
    /** Whether the route is guessed from the path, as nothing else named it. Set at the end. */
    this.isGuess = false
    /** @type {string | null} set at the end */
    this.lastTraceId = null
    /** @type {RequestContext | null} the next open request on the same connection (pipelining) */
    this.next = null
    /** Neighbours in the list of open work (work/open-work.js). @type {Item | null} */
    this.older = null
    /** @type {Item | null} */
    this.newer = null
  }

  /** The route's template so far. The probe reads this in mid-block, so no code of the application may run. */
  get template () {
    return this.route ?? (this.request === null ? '' : routeOfExpress(this.request) ?? this.#guess())
  }

  #guess () {
    return this.isUnmatched ? UNMATCHED : pathTemplate(this.path)
  }

  get path () {
    return pathOf(this.url)
  }

  get traceId () {
    return this.request === null ? this.lastTraceId : traceIdOf(this.request)
  }

  /** Sizes so far, read in mid-block as well. */
  get bytes () {
    return bytesOf(this.request)
  }

  get isEnded () {
    return this.request === null
  }

  /** Whether it is open and not yet being answered: a stream that the application keeps open does not wait. */
  get isUnanswered () {
    const { request, response } = this
    return request !== null && !(response ?? ('stream' in request ? request.stream : null))?.headersSent
  }

  /** Whether the client has not sent the whole body yet. */
  get isIncomplete () {
    return this.request !== null && 'complete' in this.request && !this.request.complete
  }

  /** @param {string | null} route by a framework; null if none of its routes matched */
  name (route) {
    if (this.isNamedByApplication) return
    this.route = route
    this.isUnmatched = route === null
  }

  /** Ends the request and returns its route. @param {number} status of the answer, 0 if there was none */
  end (status) {
    const { request } = this
    if (request === null) return this.route ?? ''
    this.isAborted = status === ABORTED
    if (this.route === null) {
      const expressRoute = routeOfExpress(request) ?? null
      this.route = expressRoute ?? (status === 404 ? UNMATCHED : this.#guess())
      this.isGuess = expressRoute === null && this.route !== UNMATCHED
    }
    if (this.route.length > ROUTE_CHARS) this.route = this.route.slice(0, ROUTE_CHARS)
    this.lastTraceId = traceIdOf(request)
    this.request = this.response = null
    this.url = ''
    return this.route
  }
}

exports.RequestContext = RequestContext
exports.ROUTE_CHARS = ROUTE_CHARS
exports.UNMATCHED = UNMATCHED
