'use strict'

// A worker thread that takes tasks by messages, or over HTTP, or passes them on to a worker of its own.

const http = require('node:http')
const { parentPort, Worker, workerData } = require('node:worker_threads')
const timed = require('./timed')

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

/** @type {Record<string, () => void>} */
const ways = {
  messages: () => port.on('message', async (name) => port.postMessage(await timed({ name }))),
  server: () => {
    const server = http.createServer(async (request, response) => {
      response.end(JSON.stringify(await timed({ name: String(request.url).slice(1) })))
    })
    server.listen(0, '127.0.0.1', () => port.postMessage(server.address()))
  },
  nested: () => {
    const inner = new Worker(__filename, { workerData: 'messages' })
    port.on('message', (name) => inner.postMessage(name))
    inner.on('message', (interval) => port.postMessage(interval))
  }
}

ways[workerData]()
