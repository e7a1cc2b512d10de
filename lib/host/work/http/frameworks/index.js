'use strict'

const fastify = require('./fastify')
const koa = require('./koa')
const { watchModules } = require('./modules')
const { watchProperty } = require('./watched-property')

const hapi = {
  /** The class of all requests of all servers made by one copy of it. */
  file: ['@hapi', 'hapi', 'lib', 'request.js'],
  watch: watchHapi
}

/**
 * Told as soon as a router has matched: before the handler runs, again where it goes on to another
 * route. `request` is that of node:http or node:http2; `route` the router's own template with all
 * prefixes, or null where the router ran and matched nothing.
 * @callback Name
 * @param {any} request
 * @param {string | null} route
 * @returns {void}
 */

/**
 * Learns the routes of Fastify, Koa and hapi (and of NestJS on Fastify) from the frameworks. Express
 * says its own on the request itself, for whoever asks: frameworks/express.js.
 * @param {Name} name
 * @returns {{ stop: () => void }}
 */
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
 * hapi links a request of node:http to its own only when it answers. Its constructor writes
 * `request.route` (that of not found), its router the one it found, before any handler.
 * @param {any} Request
 * @param {Name} name
 */
function watchHapi (Request, name) {
  if (typeof Request?.generate !== 'function') return null
  return watchProperty(Request.prototype, 'route', (request, route, previous) => {
    if (previous === undefined) return
    const notFound = request._core.router.specials.notFound.route.public
    name(request.raw.req, route === notFound ? null : route.path)
  })
}
