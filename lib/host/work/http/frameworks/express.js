'use strict'

const { pathOf, pathTemplate } = require('../path-template')
const { mountsOf, join } = require('./express-mounts')

/** Characters of template segments that may stand for more or fewer segments than one. */
const OPEN = '*{(?+^$\\['

/**
 * The route of a request in Express (4 and 5, or their router alone) so far: the template with the prefixes of nested
 * routers; null while no route has matched; undefined without Express. Only reads properties, so the probe may call it.
 * Never throws.
 * @param {any} request of node:http or node:http2
 */
exports.routeOfExpress = (request) => {
  try {
    const { route } = request
    if (typeof route !== 'object' || !route?.path) return 'baseUrl' in request ? null : undefined
    if (isUnmatched(route, request.res)) return null
    return templateOf(request, route) || '/'
  } catch {
    return undefined // a property of the application's own making
  }
}

/** Whether a catch-all (`app.all('*')`, `/api/*path` of Nest) answered 404. @param {any} route @param {any} response */
function isUnmatched (route, response) {
  // app.all() registers every method, router.all() a single one that stands for all.
  const takesAll = route.methods?._all === true || route.methods?.trace === true
  return takesAll && response?.statusCode === 404 && typeof route.path === 'string' &&
    route.path.slice(route.path.lastIndexOf('/') + 1).startsWith('*')
}

/** @param {any} request @param {any} route */
function templateOf (request, route) {
  const { baseUrl, originalUrl, url, app } = request
  /** @type {(string | RegExp)[]} */
  const paths = Array.isArray(route.path) ? route.path.flat(Infinity) : [route.path]
  const mounts = mountsOf(route, app)
  const [mount] = mounts
  const isOnly = mounts.length === 1 && paths.length === 1
  if (isOnly && mount !== null && isBelow(mount, baseUrl)) return join(mount, paths[0])
  // A router mounted at several places, or a route with several paths: Express took the first that fits.
  const urlSegments = pathSegments(pathOf(originalUrl ?? url))
  for (const mount of mounts) {
    for (const path of mount === null ? [] : paths) {
      const template = join(/** @type {string} */ (mount), path)
      if (fits(pathSegments(template), urlSegments)) return template
    }
  }
  return fromUrl(paths, urlSegments, baseUrl)
}

/**
 * Whether the running router may be the one mounted there. Another one was mounted since the search, is called by hand,
 * or belongs to an application below a plain router.
 * @param {string} mount @param {string | undefined} baseUrl gone once an error has left the nested router
 */
function isBelow (mount, baseUrl) {
  return !baseUrl || baseUrl === mount || fits(pathSegments(mount), pathSegments(baseUrl))
}

/**
 * The route without a known mount: the prefix is the URL without the route's own path. `req.baseUrl` is second best, as
 * it is gone once an error has left the nested router.
 * @param {(string | RegExp)[]} paths of the route @param {string[]} urlSegments @param {string | undefined} baseUrl
 */
function fromUrl (paths, urlSegments, baseUrl = '') {
  for (const path of paths) {
    if (typeof path !== 'string') continue
    const own = pathSegments(path)
    const prefix = urlSegments.slice(0, Math.max(0, urlSegments.length - own.length))
    if (!fits(own, urlSegments.slice(prefix.length), true)) continue
    return join(pathTemplate(prefix.map((segment) => `/${segment}`).join('')), path)
  }
  return join(pathTemplate(baseUrl), paths[0])
}

/** The segments of a template. @param {string} path */
const pathSegments = (path) => path.split('/').filter((segment) => segment !== '')

/**
 * Whether a URL fits a template. A parameter fits any segment. From a wildcard, an option or an expression on,
 * everything fits (nothing if the template must be `closed`), as expressions are not run.
 * @param {string[]} template @param {string[]} url
 */
const fits = (template, url, closed = false) => {
  for (let i = 0; i < template.length; i++) {
    for (let at = 0; at < OPEN.length; at++) {
      if (template[i].includes(OPEN[at])) return !closed
    }
    if (i >= url.length) return false
    if (!template[i].includes(':') && template[i].toLowerCase() !== url[i].toLowerCase()) return false
  }
  return template.length === url.length
}
