'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')

/** @import { Name } from './index' */

const INITIALIZATION = 'fastify.initialization'
const HANDLER = 'tracing:fastify.request.handler:start'

/** If this file of the package is loaded, there may be instances. */
exports.file = ['fastify', 'fastify.js']

const ignore = () => {}
/** The function that the hooks call: a hook cannot be removed from an instance. @type {Name} */
let name = ignore
/** Instances made since this agent started. */
let instances = 0

/** Fastify 5 makes `routeOptions` from this property at each access: 200 ns on Node 24. @type {symbol | undefined} */
let kContext
/** How many more requests are searched for it: other versions keep it elsewhere or nowhere. */
let looks = 10

/** @param {any} request @returns {string | null | undefined} null if no route matched, undefined before Fastify 4.10 */
function urlOf (request) {
  const url = kContext === undefined ? undefined : request[kContext]?.config?.url
  if (typeof url === 'string') return url
  const { routeOptions } = request
  if (routeOptions === undefined) return undefined
  if (routeOptions.url !== undefined && looks > 0) {
    looks--
    kContext = Object.getOwnPropertySymbols(request).find((symbol) => request[symbol]?.config?.url === routeOptions.url)
  }
  return routeOptions.url ?? null
}

/** The router has matched, hardly any hook has run. @param {any} request @param {unknown} _ @param {() => void} done */
function onRequest (request, _, done) {
  if (name !== ignore) {
    const url = urlOf(request)
    if (url !== undefined) name(request.raw, url)
  }
  done()
}

/** A new instance gets the hook before any of its own. @param {any} message */
function onInitialization ({ fastify }) {
  instances++
  try {
    fastify.addHook('onRequest', onRequest)
  } catch {
    // This version has no such hook. The channel of handlers remains.
  }
}

/** An instance older than this agent publishes here, just before the handler. @param {any} message */
function onHandler ({ request, route }) {
  if (request !== undefined && route !== undefined) name(request.raw, route.url ?? null)
}

/**
 * Fastify 4 and 5 publish each new instance. Fastify 5 also publishes each call of a handler: listening to that takes
 * 100 ns of every request, so the agent does it only if there are older instances.
 * @param {Name} tellRoute
 */
exports.startFastify = (tellRoute) => {
  name = tellRoute
  instances = 0
  diagnosticsChannel.subscribe(INITIALIZATION, onInitialization)
  return {
    onLoaded: () => {
      if (instances === 0) diagnosticsChannel.subscribe(HANDLER, onHandler)
    },
    stop: () => {
      name = ignore
      diagnosticsChannel.unsubscribe(INITIALIZATION, onInitialization)
      diagnosticsChannel.unsubscribe(HANDLER, onHandler)
    }
  }
}

exports.onRequest = onRequest
