'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { once } = require('node:events')
const { startFrameworks } = require('../../lib/host/work/http/frameworks')
const { routeOfExpress } = require('../../lib/host/work/http/frameworks/express')

const FINISH = 'http.server.response.finish'

/**
 * Watches routes as lib/host does for every request, and remembers what was known in the handler and
 * at the end.
 */
exports.watchRoutes = () => {
  const named = new WeakMap()
  /** @type {{ handler: any, end: any }} */
  let last = { handler: undefined, end: undefined }
  const routeOf = (/** @type {any} */ request) => {
    const express = routeOfExpress(request)
    return named.get(request) ?? (express === undefined ? named.get(request) : express)
  }
  const watching = startFrameworks((request, route) => { named.set(request, route) })
  const onFinish = (/** @type {any} */ message) => { last.end = routeOf(message.request) }
  diagnosticsChannel.subscribe(FINISH, onFinish)
  return {
    /** For handlers. @param {any} request */
    seen: (request) => { last.handler = routeOf(request) },
    /**
     * Asks a listening server; what was known in the handler and at the end of the response.
     * @param {import('node:http').Server} server @param {string} path @param {RequestInit} [init]
     */
    ask: async (server, path, init) => {
      last = { handler: undefined, end: undefined }
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      await response.text()
      return { status: response.status, ...last }
    },
    stop: () => {
      watching.stop()
      diagnosticsChannel.unsubscribe(FINISH, onFinish)
    }
  }
}

/** @param {import('node:test').TestContext} t @param {import('node:http').Server} server */
exports.listen = async (t, server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}
