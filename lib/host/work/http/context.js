'use strict'

const { OTHER_METHOD } = require('../../../bridge/request-row')
const { pathTemplate } = require('./path-template')
const { routeOfExpress } = require('./frameworks/express')
const { traceIdOf } = require('./trace-id')

const ROUTE_CHARS = 200
/** HTTP/2 lets a client make up methods of any length, which would take the room of a stack. */
const METHOD_CHARS = 32

/** What ran into no route of its server. */
const UNMATCHED = '(unmatched)'
const NOT_FOUND = 404

/** @param {unknown} url as it came */
function pathOf (url) {
  if (typeof url !== 'string') return ''
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  if (path[0] === '/') return path
  // In absolute form, as proxies are asked, it begins with what the client takes for the host.
  const scheme = path.indexOf('://')
  const slash = scheme === -1 ? -1 : path.indexOf('/', scheme + '://'.length)
  return scheme === -1 ? path : slash === -1 ? '/' : path.slice(slash)
}

/**
 * One HTTP request, followed through its awaits, timers and listeners. What lives on after it (a
 * pooled connection it opened, say) holds on to this object, so it lets go of the request itself
 * when that ends.
 */
class RequestContext {
  /**
   * @param {number} id unique within the process
   * @param {import('./requests').HttpRequest} request
   * @param {number} startedAtMs monotonic
   * @param {boolean} hasWaited it may have been waiting to be read while the loop was blocked
   */
  constructor (id, request, startedAtMs, hasWaited) {
    this.id = id
    this.startedAtMs = startedAtMs
    this.hasWaited = hasWaited
    const { method } = request
    this.method = typeof method === 'string' && method.length <= METHOD_CHARS ? method : OTHER_METHOD
    /** As it came: routers take off what they are mounted at while what is mounted there runs. */
    this.url = request.url
    /** @type {typeof request | null} null once it has ended */
    this.request = request
    /** @type {string | null} as told by a framework or the application */
    this.route = null
    /** The application said so itself: frameworks are not asked. */
    this.isGiven = false
    this.isUnmatched = false
    /** Once it has ended: its route is what its path looks like, nobody knew it. */
    this.isGuess = false
    /** @type {string | null} the trace it came with, once it has ended */
    this.lastTraceId = null
    /** @type {RequestContext | null} the next one that came on the same connection and is open (pipelining) */
    this.next = null
    /** Its neighbours in what is open: see work/open-work.js. @type {import('../open-work').Item | null} */
    this.older = null
    /** @type {import('../open-work').Item | null} */
    this.newer = null
  }

  /**
   * The template of its route, as far as it is known by now. Also asked for in mid-block: it runs nothing of the
   * application's.
   */
  get template () {
    return this.route ?? (this.request === null ? '' : routeOfExpress(this.request) ?? this.#guess())
  }

  #guess () {
    return this.isUnmatched ? UNMATCHED : pathTemplate(pathOf(this.url))
  }

  /** The trace it came with. */
  get traceId () {
    return this.request === null ? this.lastTraceId : traceIdOf(this.request)
  }

  get isEnded () {
    return this.request === null
  }

  /** What a framework says of its route. @param {string | null} route null where none of its routes matched */
  name (route) {
    if (this.isGiven) return
    this.route = route
    this.isUnmatched = route === null
  }

  /**
   * It has ended.
   * @param {number} status of the answer, 0 where there was none
   * @returns {string} its route
   */
  end (status) {
    const { request } = this
    if (request === null) return this.route ?? ''
    if (this.route === null) {
      const told = routeOfExpress(request) ?? null
      this.route = told ?? (status === NOT_FOUND ? UNMATCHED : this.#guess())
      this.isGuess = told === null && this.route !== UNMATCHED
    }
    if (this.route.length > ROUTE_CHARS) this.route = this.route.slice(0, ROUTE_CHARS)
    this.lastTraceId = traceIdOf(request)
    this.request = null
    this.url = ''
    return this.route
  }
}

exports.pathOf = pathOf
exports.RequestContext = RequestContext
exports.UNMATCHED = UNMATCHED
