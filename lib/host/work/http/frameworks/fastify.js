'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')

/** @import { Name } from './index' */

const INITIALIZATION = 'fastify.initialization'
const HANDLER = 'tracing:fastify.request.handler:start'

/** The file of the package. Once it is loaded there may be instances. */
exports.file = ['fastify', 'fastify.js']

const ignore = () => {}
/** Called by the hooks, which cannot be removed from an instance. @type {Name} */
let name = ignore
/** Number of instances made since this agent started. */
let instances = 0

/** Property behind `routeOptions`, which Fastify 5 builds at each access in 200 ns. @type {symbol | undefined} */
let kContext
/** Requests that are still searched for the property, which other versions keep elsewhere or nowhere. */
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

/**
 * Runs when the router has matched, before most hooks. @param {any} request @param {unknown} _ @param {() => void} done
 */
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

/** Just before a handler, for instances older than this agent. @param {any} message */
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
