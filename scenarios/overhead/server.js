'use strict'

// An HTTP server, SERVER=bare | express | fastify, watched or not: WATCH=off | default | requests-off.
const http = require('node:http')

const watch = process.env.WATCH ?? 'off'
if (watch !== 'off') {
  const startMs = performance.now()
  const { start } = require('../..')
  const requiredMs = performance.now()
  start({ port: 0, log: false, requests: watch === 'requests-off' ? 'off' : 'auto' })
  process.stderr.write(`required in ${(requiredMs - startMs).toFixed(2)} ms, started in ${(performance.now() - requiredMs).toFixed(2)} ms\n`)
}

/** @param {number} port */
const listening = (port) => process.send?.(port)

/** The same answer from each. @type {Record<string, () => void>} */
const servers = {
  bare: () => {
    const server = http.createServer((request, response) => response.end('ok'))
    server.listen(0, '127.0.0.1', () => listening(/** @type {import('node:net').AddressInfo} */ (server.address()).port))
  },
  express: () => {
    const server = require('express')().get('/', (/** @type {any} */ request, /** @type {any} */ response) => response.send('ok')).listen(0, '127.0.0.1', () => listening(server.address().port))
  },
  fastify: () => {
    const app = require('fastify')()
    app.get('/', async () => 'ok')
    app.listen({ port: 0, host: '127.0.0.1' }).then(() => listening(app.server.address().port))
  }
}
servers[process.env.SERVER ?? 'bare']()

process.on('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1024 / 1024 })
})
