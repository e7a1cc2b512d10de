'use strict'

const { layerPaths, showsPathLater } = require('./layer-paths')

/** Deeper than any router is nested. Ends the search if routers mount each other. */
const DEPTH = 16
/** Routers that mount each other at several places have far more paths through them: with 4 places each, 4^16. */
const LAYERS = 20_000

/** @typedef {string | null} Prefix a template, null if the route is below a layer that does not show its own prefix */

/**
 * By route, then by application, as several may share a router. `size` is the number of the application's own layers.
 * @type {WeakMap<object, WeakMap<object, { mounts: Prefix[], size?: number }>>}
 */
const known = new WeakMap()

/**
 * The templates of the prefixes that lead to a route, one for each mount of its router. Searches the routers of the
 * application only once if that succeeds. A router that is called by hand is not found.
 * @param {object} route `req.route` @param {any} app `req.app`
 */
exports.mountsOf = (route, app) => {
  if (!app) return []
  let byApp = known.get(route)
  if (byApp === undefined) known.set(route, byApp = new WeakMap())
  const size = stackOf(app)?.length
  const last = byApp.get(app)
  if (last !== undefined && last.size === size) return last.mounts
  const found = { mounts: /** @type {Prefix[]} */ ([]), left: LAYERS, showsLater: false }
  collect(app, route, prefixesOf(app, 0), 0, found)
  if (!found.mounts.includes(null) || !found.showsLater) byApp.set(app, { mounts: found.mounts, size })
  return found.mounts
}

/** Where an application is itself mounted. @param {any} app @param {number} depth @returns {Prefix[]} */
function prefixesOf (app, depth) {
  if (!app.parent || depth === DEPTH) return ['']
  return below(prefixesOf(app.parent, depth + 1), [app.mountpath].flat(Infinity))
}

/** @param {Prefix[]} prefixes @param {(string | RegExp)[] | null} paths @returns {Prefix[]} */
function below (prefixes, paths) {
  if (paths === null) return [null]
  return prefixes.flatMap((prefix) => prefix === null ? [null] : paths.map((path) => join(prefix, path)))
}

/**
 * @param {any} handle an application or a router @param {object} route
 * @param {Prefix[]} prefixes of the handle @param {number} depth
 * @param {{ mounts: Prefix[], left: number, showsLater: boolean }} found the result, how many layers may still be
 * searched, and whether a prefix that is unknown now may be known at another request
 */
function collect (handle, route, prefixes, depth, found) {
  const stack = stackOf(handle)
  if (!Array.isArray(stack) || depth === DEPTH) return
  for (const layer of stack) {
    if (found.left-- <= 0) return
    if (layer.route === route) found.mounts.push(...prefixes)
    else if (layer.route === undefined && typeof layer.handle === 'function' && isRouter(layer.handle)) {
      const paths = layerPaths(layer)
      if (paths === null && showsPathLater(layer)) found.showsLater = true
      collect(layer.handle, route, below(prefixes, paths), depth + 1, found)
    }
  }
}

/** `router` of an Express 4 application throws. @param {any} handle an application or a router */
function stackOf (handle) {
  return handle.stack ?? (typeof handle.lazyrouter === 'function' ? handle._router : handle.router)?.stack
}

/** @param {any} handle */
function isRouter (handle) {
  return Array.isArray(handle.stack) || handle.mountpath !== undefined
}

/** A template below another; '/' adds nothing. @param {string} prefix @param {string | RegExp} path */
function join (prefix, path) {
  if (typeof path !== 'string') return prefix + String(path)
  const end = path.endsWith('/') ? path.length - 1 : path.length
  if (end === 0) return prefix
  return prefix + (path[0] === '/' ? '' : '/') + path.slice(0, end)
}

exports.join = join
