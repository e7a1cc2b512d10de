'use strict'

// An application that asks itself, says what came of it, and serves until it is ended.
const { createHash } = require('node:crypto')
const http = require('node:http')

const REQUESTS = 300
const BYTES = 500_000

function answer (/** @type {http.IncomingMessage} */ { url }, /** @type {http.ServerResponse} */ response) {
  response.end(createHash('sha256').update(Buffer.alloc(BYTES, url)).digest('hex'))
}

const server = http.createServer(answer).listen(0, '127.0.0.1', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const all = createHash('sha256')
  for (let i = 0; i < REQUESTS; i++) all.update(await (await fetch(`http://127.0.0.1:${port}/${i}`)).text())
  console.log(`answered ${REQUESTS} requests: ${all.digest('hex')}`)
})
process.once('SIGTERM', () => process.exit(0))
