'use strict'

// A bare HTTP server, watched or not: WATCH=off | default | requests-off.
const http = require('node:http')

const watch = process.env.WATCH ?? 'off'
if (watch !== 'off') {
  const startMs = performance.now()
  const { start } = require('../..')
  const requiredMs = performance.now()
  start({ port: 0, log: false, requests: watch === 'requests-off' ? 'off' : 'auto' })
  process.stderr.write(`required in ${(requiredMs - startMs).toFixed(2)} ms, started in ${(performance.now() - requiredMs).toFixed(2)} ms\n`)
}

http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1', function () {
  process.send?.(/** @type {import('node:net').AddressInfo} */ (this.address()).port)
})

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1024 / 1024 })
})
