'use strict'

// An application that asks itself, says what came of it, and serves until it is ended.
const { createHash } = require('node:crypto')
const http = require('node:http')

const REQUESTS = 300
const BYTES = 500_000
const PAUSE_MS = 200

function answer (/** @type {http.IncomingMessage} */ { url }, /** @type {http.ServerResponse} */ response) {
  response.end(createHash('sha256').update(Buffer.alloc(BYTES, url)).digest('hex'))
}

const server = http.createServer(answer).listen(0, '127.0.0.1', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const ask = async (/** @type {number} */ i) => (await fetch(`http://127.0.0.1:${port}/${i}`)).text()
  const all = createHash('sha256')
  for (let i = 0; i < REQUESTS; i++) all.update(await ask(i))
  console.log(`answered ${REQUESTS} requests: ${all.digest('hex')}`)
  // Its agent may have begun to count only now.
  setInterval(() => ask(0).catch(() => {}), PAUSE_MS)
})
process.once('SIGTERM', () => process.exit(0))
