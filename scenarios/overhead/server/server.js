'use strict'

// The server of a cell: SERVER=bare | express | fastify | real-app, HANDLER=trivial | awaits | work, WATCH=<one of
// watchers.js>. Over its channel it says where it listens, and what it has used and counted whenever it is asked.
const http = require('node:http')
const { watchers } = require('../watchers')

const AWAITS = 10
const WORK_MS = 1

const watch = watchers[process.env.WATCH ?? 'nothing']
const handler = process.env.HANDLER ?? 'trivial'
let answered = 0

/** @type {Record<string, () => Promise<void> | void>} */
const handlers = {
  awaits: async () => {
    for (let i = 0; i < AWAITS; i++) await (i === AWAITS / 2 ? new Promise(setImmediate) : null)
  },
  work: () => {
    for (const fromMs = performance.now(); performance.now() - fromMs < WORK_MS;);
  }
}

/** @param {(body: string) => void} send */
const reply = handler === 'trivial'
  ? (/** @type {(body: string) => void} */ send) => {
      answered++
      send('ok')
    }
  : async (/** @type {(body: string) => void} */ send) => {
    answered++
    await handlers[handler]()
    send('ok')
  }

/**
 * The same answer from each; the trivial one in the same turn.
 * @type {Record<string, () => Promise<import('node:net').Server> | import('node:net').Server>}
 */
const servers = {
  bare: () => http.createServer((_, response) => reply((body) => response.end(body))),
  express: () => http.createServer(require('express')().get('/', (/** @type {any} */ _, /** @type {any} */ response) => reply((body) => response.send(body)))),
  fastify: async () => {
    const app = require('fastify')()
    app.get('/', (/** @type {any} */ _, /** @type {any} */ response) => { reply((body) => response.send(body)) })
    await app.ready()
    return app.server
  },
  // The application has its own work. It is loaded after its watcher, as applications are.
  'real-app': () => require('../real-app/app').makeApp(() => { answered++ })
}

async function main () {
  const watching = await watch.load()
  const fromMs = performance.now()
  const { inRequest, counted = () => null, sees = () => true } = await watching.start() ?? {}
  const startMs = performance.now() - fromMs
  const server = await servers[process.env.SERVER ?? 'bare']()
  if (inRequest) wrapListener(server, inRequest)
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    process.send?.({ url: `http://127.0.0.1:${port}/`, startMs })
  })
  process.on('message', async () => {
    const { user, system } = process.cpuUsage()
    const rssMb = process.memoryUsage.rss() / 1024 / 1024
    process.send?.({ cpuMs: (user + system) / 1000, rssMb, answered, counted: await counted(), isSeen: await sees() })
  })
}

/**
 * Runs the code of a watcher around each request.
 * @param {import('node:net').Server} server
 * @param {NonNullable<import('../watchers').Started['inRequest']>} inRequest
 */
function wrapListener (server, inRequest) {
  const [listener] = /** @type {((...args: any[]) => void)[]} */ (server.listeners('request'))
  server.removeListener('request', listener)
  server.on('request', (request, response) => inRequest(request, response, () => listener.call(server, request, response)))
}

process.on('disconnect', () => process.exit())
main()
