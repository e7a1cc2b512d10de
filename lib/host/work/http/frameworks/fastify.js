'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')

const INITIALIZATION = 'fastify.initialization'
const HANDLER = 'tracing:fastify.request.handler:start'

/** What of its package is loaded tells that there may be instances. */
exports.file = ['fastify', 'fastify.js']

const ignore = () => {}
/** A hook cannot be taken off an instance again, so it asks here whom to tell. @type {import('.').Name} */
let name = ignore
/** Instances made under this agent. */
let instances = 0

/**
 * Where a request of Fastify 5 keeps what its `routeOptions` are made of, again at each look: 200 ns on Node 24.
 * @type {symbol | undefined}
 */
let kContext
/** So many requests are looked through for it, other versions keep it elsewhere or nowhere. */
let looks = 10

/**
 * @param {any} request
 * @returns {string | null | undefined} null where no route matched, undefined before Fastify 4.10
 */
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
 * An `onRequest` hook: the router has matched by then, and nothing of the application has run that
 * was not registered before.
 * @param {any} request @param {unknown} _ @param {() => void} done
 */
function onRequest (request, _, done) {
  if (name !== ignore) {
    const url = urlOf(request)
    if (url !== undefined) name(request.raw, url)
  }
  done()
}

/** An instance made from now on takes the hook before any of its own. @param {any} message */
function onInitialization ({ fastify }) {
  instances++
  try {
    fastify.addHook('onRequest', onRequest)
  } catch {
    // A version that has no such hook; the channel of the handlers remains.
  }
}

/** An instance that is older than this agent tells here, just before the handler. @param {any} message */
function onHandler ({ request, route }) {
  if (request !== undefined && route !== undefined) name(request.raw, route.url ?? null)
}

/**
 * Fastify 4 and 5 publish each new instance; Fastify 5 each call of a handler, which is listened to
 * only where there are instances older than the agent: it takes 100 ns of every request.
 * @param {import('.').Name} tellRoute
 */
exports.startFastify = (tellRoute) => {
  name = tellRoute
  instances = 0
  diagnosticsChannel.subscribe(INITIALIZATION, onInitialization)
  return {
    /** Fastify is loaded, and its first connection has come. */
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
