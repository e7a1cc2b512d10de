'use strict'

const { watchProperty } = require('./watched-property')

/** @import { Name } from './index' */

/** The prototype of all contexts of all applications that one copy of Koa makes. */
exports.file = ['koa', 'lib', 'context.js']

/**
 * Nothing leads from a request of node:http to Koa's context, so the context is watched: `@koa/router` (and koa-router)
 * writes the template to `ctx._matchedRoute` before each layer runs.
 * @param {any} context @param {Name} name
 */
exports.watch = (context, name) => {
  if (typeof context?.onerror !== 'function') return null
  const stops = [
    watchProperty(context, '_matchedRoute', (ctx, path) => {
      // Layers of router.use() write their path as well.
      if (isRoute(ctx.matched, path)) name(ctx.req, below(mountOf(ctx), path))
    }),
    watchProperty(context, 'routeMatched', (ctx, isMatched) => {
      if (isMatched === false && ctx._matchedRoute === undefined) name(ctx.req, null)
    })
  ]
  return () => stops.forEach((stop) => stop?.())
}

/** @param {{ path: unknown, methods: string[] }[] | undefined} layers @param {unknown} path */
function isRoute (layers, path) {
  if (!Array.isArray(layers)) return true
  for (const layer of layers) {
    if (layer.path === path && layer.methods.length > 0) return true
  }
  return false
}

/** What koa-mount removed from the path. It mounts at plain paths only, so the URL holds it. @param {any} ctx */
function mountOf (ctx) {
  if (typeof ctx.mountPath !== 'string') return ''
  const query = ctx.originalUrl.indexOf('?')
  const url = query === -1 ? ctx.originalUrl : ctx.originalUrl.slice(0, query)
  if (url.endsWith(ctx.path)) return url.slice(0, url.length - ctx.path.length)
  return ctx.path === '/' ? url : ''
}

/** @param {string} mount @param {string | RegExp} path */
function below (mount, path) {
  return path === '/' && mount !== '' ? mount : mount + path
}
