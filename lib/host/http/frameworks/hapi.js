'use strict'

const { watchProperty } = require('./watched-property')

/** The class of all requests of all servers made by one copy of hapi. */
exports.file = ['@hapi', 'hapi', 'lib', 'request.js']

/**
 * hapi links a request of node:http to its own only when it answers. Its constructor writes
 * `request.route` (that of not found), its router the one it found, before any handler.
 * @param {any} Request
 * @param {import('.').Name} name
 */
exports.watch = (Request, name) => {
  if (typeof Request?.generate !== 'function') return null
  return watchProperty(Request.prototype, 'route', (request, route, previous) => {
    if (previous === undefined) return
    const notFound = request._core.router.specials.notFound.route.public
    name(request.raw.req, route === notFound ? null : route.path)
  })
}
