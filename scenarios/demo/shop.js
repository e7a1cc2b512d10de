'use strict'

// The application: a small shop on plain node:http, watched by loopwatch. Runs by itself as well:
// `node scenarios/demo/shop.js`.
const agent = require('../../lib').start({ log: true, profile: 'on', requests: 'on', labels: { service: 'shop' } })

const http = require('node:http')
const pino = require('pino')
const { followParent } = require('./lifeline')
const { findRoute } = require('./shop/router')
const { openSessions } = require('./shop/sessions')

const log = pino({ name: 'shop' })

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
async function handle (request, response) {
  const url = new URL(/** @type {string} */ (request.url), 'http://localhost')
  const route = findRoute(/** @type {string} */ (request.method), url.pathname)
  if (route === null) return send(response, 404, { error: 'not found' })
  try {
    send(response, 200, await route.handler({ id: route.id, query: url.searchParams }))
  } catch (error) {
    log.error(error)
    send(response, 500, { error: 'internal error' })
  }
}

/** @param {http.ServerResponse} response @param {number} status @param {unknown} body */
function send (response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = http.createServer(handle)

server.on('error', (error) => {
  log.error({ event: 'failed' }, error.message)
  process.exit(1)
})

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await openSessions()
  const url = `http://127.0.0.1:${port}`
  log.info({ event: 'listening', url }, `shop listening at ${url}`)
})

// Everything released, the process ends by itself: no process.exit() needed.
const parent = followParent()
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  parent.release()
  agent.stop()
})
