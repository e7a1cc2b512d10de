'use strict'

const fastify = require('./fastify')
const koa = require('./koa')
const { watchModules } = require('./modules')
const { watchProperty } = require('./watched-property')

const hapi = {
  /** The class of all requests of all servers that one copy of hapi makes. */
  file: ['@hapi', 'hapi', 'lib', 'request.js'],
  watch: watchHapi
}

/**
 * Called as soon as a router has matched: before the handler runs, and again if it goes on to another route. `request`
 * is that of node:http or node:http2. `route` is the router's own template with all prefixes, or null if none matched.
 * @typedef {(request: any, route: string | null) => void} Name
 */

/** Reports routes of Fastify (NestJS too), Koa, hapi. Express puts its own on the request. @param {Name} name */
exports.startFrameworks = (name) => {
  /** @type {(() => void)[]} */
  const stops = []
  const { onLoaded, stop } = fastify.startFastify(name)
  stops.push(stop)
  const modules = watchModules([{ file: fastify.file, onFound: onLoaded }, ...[koa, hapi].map(({ file, watch }) => ({
    file,
    onFound: (/** @type {any} */ exports) => {
      const stop = watch(exports, name)
      if (stop) stops.push(stop)
    }
  }))])
  return {
    stop: () => {
      modules.stop()
      for (const stop of stops) stop()
    }
  }
}

/**
 * hapi links a request of node:http to its own only when it answers. Its constructor sets `request.route` to the
 * not-found route, and its router sets it to the matched one before any handler.
 * @param {any} Request @param {Name} name
 */
function watchHapi (Request, name) {
  if (typeof Request?.generate !== 'function') return null
  return watchProperty(Request.prototype, 'route', (request, route, previous) => {
    if (previous === undefined) return
    const notFound = request._core.router.specials.notFound.route.public
    name(request.raw.req, route === notFound ? null : route.path)
  })
}
