'use strict'

/** Depth that ends the search if routers mount each other. No router is nested this deeply. */
const DEPTH = 16
/** Layers that are searched at most: routers that mount each other at 4 places have 4^16 paths through them. */
const LAYERS = 20_000

/** @typedef {string | null} Prefix a template, null if the route is below a layer that does not show its own prefix */

/**
 * Mounts by route, then by application, as several may share a router. `size` is the number of the application's own
 * layers.
 * @type {WeakMap<object, WeakMap<object, { mounts: Prefix[], size?: number }>>}
 */
const mountsByRoute = new WeakMap()

/**
 * The templates of the prefixes that lead to a route, one for each mount of its router. The routers of the application
 * are searched once if that succeeds. A router that is called by hand is missed.
 * @param {object} route `req.route` @param {any} app `req.app`
 */
exports.mountsOf = (route, app) => {
  if (!app) return []
  let byApp = mountsByRoute.get(route)
  if (byApp === undefined) mountsByRoute.set(route, byApp = new WeakMap())
  const size = stackOf(app)?.length
  const last = byApp.get(app)
  if (last !== undefined && last.size === size) return last.mounts
  const search = { mounts: /** @type {Prefix[]} */ ([]), left: LAYERS, showsLater: false }
  collect(app, route, prefixesOf(app, 0), 0, search)
  if (!search.mounts.includes(null) || !search.showsLater) byApp.set(app, { mounts: search.mounts, size })
  return search.mounts
}

/** Mounts of an application. @param {any} app @param {number} depth @returns {Prefix[]} */
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
 * @param {{ mounts: Prefix[], left: number, showsLater: boolean }} search its mounts, how many layers may still be
 * searched, and whether a prefix that is unknown now may be known at another request
 */
function collect (handle, route, prefixes, depth, search) {
  const stack = stackOf(handle)
  if (!Array.isArray(stack) || depth === DEPTH) return
  for (const layer of stack) {
    if (search.left-- <= 0) return
    if (layer.route === route) search.mounts.push(...prefixes)
    else if (layer.route === undefined && isRouter(layer.handle)) {
      const paths = layerPaths(layer)
      if (paths === null && showsPathLater(layer)) search.showsLater = true
      collect(layer.handle, route, below(prefixes, paths), depth + 1, search)
    }
  }
}

/** `router` of an Express 4 application throws. @param {any} handle an application or a router */
function stackOf (handle) {
  return handle.stack ?? (typeof handle.lazyrouter === 'function' ? handle._router : handle.router)?.stack
}

/** @param {any} handle */
function isRouter (handle) {
  return typeof handle === 'function' && (Array.isArray(handle.stack) || handle.mountpath !== undefined)
}

/** A template below another; '/' adds nothing. @param {string} prefix @param {string | RegExp} path */
function join (prefix, path) {
  if (typeof path !== 'string') return prefix + String(path)
  const end = path.endsWith('/') ? path.length - 1 : path.length
  if (end === 0) return prefix
  return prefix + (path[0] === '/' ? '' : '/') + path.slice(0, end)
}

/** The text that path-to-regexp 0.1 writes around a mount path. */
const START = '^'
const END = '\\/?(?=\\/|$)'

/**
 * The templates that a layer of an Express router was mounted with (several for `use(['/a', '/b'])`), null if the layer
 * does not show them. No regular expression is used: it would overwrite the application's `RegExp.$1`.
 * @param {any} layer @returns {(string | RegExp)[] | null}
 */
function layerPaths (layer) {
  // router 2.3 keeps the path. Earlier versions keep whether it was '/', and the last match.
  if (layer.rawPath !== undefined) return [layer.rawPath].flat(Infinity)
  if (layer.slash === true || layer.regexp?.fast_slash === true) return ['/']
  if (layer.regexp === undefined) return fromLastMatch(layer)
  const { source } = layer.regexp
  if (!source.startsWith(START) || !source.endsWith(END)) return null
  return pathsOf(source.slice(START.length, -END.length), layer.keys)
}

/**
 * The template of the path that a layer matched last, for any request: values of parameters become their names. Null if
 * the last match failed, or the layer has several paths or an expression.
 * @param {{ path?: string, params?: Record<string, unknown>, matchers: Function[] }} layer
 */
function fromLastMatch (layer) {
  const { path, params } = layer
  if (typeof path !== 'string' || !params || !showsPathLater(layer)) return null
  const segments = path.split('/')
  let from = 0
  for (const name of Object.keys(params)) {
    const value = params[name]
    const at = segments.findIndex((segment, i) =>
      i >= from && (segment === value || encodeURIComponent(String(value)) === segment))
    if (at === -1) return null
    segments[at] = `:${name}`
    from = at + 1
  }
  return [segments.join('/')]
}

/** Whether a layer without a path may have one at another request. @param {any} layer */
function showsPathLater ({ regexp, matchers }) {
  return regexp === undefined && matchers?.length === 1 && matchers[0].name !== 'regexpMatcher'
}

/** @param {string} source one path or several alternatives @param {{ name: string | number }[]} keys in order */
function pathsOf (source, keys) {
  const rest = [...keys]
  const paths = []
  for (const alternative of source.split(`${END}|${START}`)) {
    const path = pathOf(alternative, rest)
    if (path === null) return null
    paths.push(path)
  }
  return paths
}

/**
 * Express 4 made `source` of a path: `\/tenants(?:\/([^/]+?))` was `/tenants/:tid`.
 * @param {string} source @param {{ name: string | number }[]} keys those of its groups are removed
 */
function pathOf (source, keys) {
  let path = ''
  for (let at = 0; at < source.length;) {
    const key = source.startsWith('(?:\\/(', at) ? keys.shift() : undefined
    if (key !== undefined) {
      at = closing(source, at) + 1
      path += `/:${key.name}`
      if (source[at] === '?') {
        path += '?'
        at++
      }
    } else if (source[at] === '\\' && !isWordChar(source[at + 1])) {
      path += source[at + 1]
      at += 2
    } else if ('^$*+?.()[]{}|\\'.includes(source[at])) {
      return null
    } else {
      path += source[at++]
    }
  }
  return path
}

/** The index of the bracket that closes the one at `open`. @param {string} source @param {number} open */
function closing (source, open) {
  let depth = 0
  let inClass = false
  for (let at = open; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '[') inClass = true
    else if (source[at] === ']') inClass = false
    else if (source[at] === '(' && !inClass) depth++
    else if (source[at] === ')' && !inClass && --depth === 0) return at
  }
  return source.length
}

/** A word character after a backslash stands for a class (`\d`), not for itself. @param {string} char */
function isWordChar (char) {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || (char >= '0' && char <= '9')
}

exports.join = join
