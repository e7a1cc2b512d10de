'use strict'

const fastify = require('./fastify')
const { watchModules } = require('./modules')

const koa = {
  /** The prototype of all contexts of all applications that one copy of Koa makes. */
  file: ['koa', 'lib', 'context.js'],
  watch: watchKoa
}

const hapi = {
  /** The class of all requests of all servers that one copy of hapi makes. */
  file: ['@hapi', 'hapi', 'lib', 'request.js'],
  watch: watchHapi
}

/**
 * Called as soon as a router has matched, before the handler runs, and again if the handler goes on to another route.
 * `request` is that of node:http or node:http2. `route` is the router's own template with all prefixes, null for none.
 * @typedef {(request: any, route: string | null) => void} Name
 */

/** Reports routes of Fastify (NestJS too), Koa, hapi. Express puts its own on the request. @param {Name} name */
exports.startFrameworks = (name) => {
  /** @type {(() => void)[]} */
  const stops = []
  const { onLoaded, stop } = fastify.startFastify(name)
  stops.push(stop)
  const modules = watchModules([{ file: fastify.file, onModule: onLoaded }, ...[koa, hapi].map(({ file, watch }) => ({
    file,
    onModule: (/** @type {any} */ exports) => {
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
 * Watches Koa's context, to which nothing leads from a request of node:http: `@koa/router` and koa-router write the
 * template to `ctx._matchedRoute` before each layer runs.
 * @param {any} context @param {Name} name
 */
function watchKoa (context, name) {
  if (typeof context?.onerror !== 'function') return null
  const stops = [
    watchProperty(context, '_matchedRoute', (ctx, path) => {
      // Layers of router.use() write their path as well.
      if (!isRoute(ctx.matched, path)) return
      const mount = mountOf(ctx)
      name(ctx.req, path === '/' && mount !== '' ? mount : mount + path)
    }),
    watchProperty(context, 'routeMatched', (ctx, isMatched) => {
      if (isMatched === false && ctx._matchedRoute === undefined) name(ctx.req, null)
    })
  ]
  return () => stops.forEach((stop) => stop?.())
}

/** @param {{ path: unknown, methods: string[] }[] | undefined} layers @param {unknown} path */
function isRoute (layers, path) {
  return !Array.isArray(layers) || layers.some((layer) => layer.path === path && layer.methods.length > 0)
}

/** The prefix that koa-mount removed from the path, always a plain path of the URL. @param {any} ctx */
function mountOf (ctx) {
  if (typeof ctx.mountPath !== 'string') return ''
  const query = ctx.originalUrl.indexOf('?')
  const url = query === -1 ? ctx.originalUrl : ctx.originalUrl.slice(0, query)
  if (url.endsWith(ctx.path)) return url.slice(0, url.length - ctx.path.length)
  return ctx.path === '/' ? url : ''
}

/**
 * Watches `request.route` of hapi, which links a request of node:http to its own only when it answers. The constructor
 * sets the not-found route, and the router the matched one before any handler.
 * @param {any} Request @param {Name} name
 */
function watchHapi (Request, name) {
  if (typeof Request?.generate !== 'function') return null
  return watchProperty(Request.prototype, 'route', (request, route, previous) => {
    if (previous === undefined) return
    const fallback = request._core.router.specials.notFound.route.public
    name(request.raw.req, route === fallback ? null : route.path)
  })
}

/**
 * Reports values that a framework writes to a property of the objects that it makes from a prototype. For all other
 * code the property stays plain and enumerable.
 * @param {any} prototype @param {string} key @param {OnWrite} onWrite its errors are dropped
 * @returns {(() => void) | null} undoes it; null if the prototype cannot be changed or has the property
 */
const watchProperty = (prototype, key, onWrite) => {
  if (!Object.isExtensible(prototype) || key in prototype) return null
  const kValue = Symbol(key)
  const tell = guarded(onWrite)
  const hidden = { configurable: true, enumerable: false, writable: true, value: /** @type {unknown} */ (undefined) }
  const own = {
    configurable: true,
    enumerable: true,
    get () {
      return /** @type {any} */ (this)[kValue]
    },
    set (/** @type {any} */ value) {
      const object = /** @type {any} */ (this)
      const previous = object[kValue]
      object[kValue] = value
      tell(object, value, previous)
    }
  }
  const inherited = {
    configurable: true,
    enumerable: false,
    get: () => undefined,
    set (/** @type {any} */ value) {
      const object = /** @type {any} */ (this)
      Object.defineProperty(object, kValue, hidden)
      Object.defineProperty(object, key, own)
      object[kValue] = value
      tell(object, value, undefined)
    }
  }
  Object.defineProperty(prototype, key, inherited)
  return () => {
    if (Object.getOwnPropertyDescriptor(prototype, key)?.set === inherited.set) delete prototype[key]
  }
}

/** @typedef {(object: any, value: any, previous: any) => void} OnWrite */

/** @param {OnWrite} onWrite @returns {OnWrite} */
function guarded (onWrite) {
  return (object, value, previous) => {
    try {
      onWrite(object, value, previous)
    } catch {
      // This version of the framework keeps the value elsewhere.
    }
  }
}
