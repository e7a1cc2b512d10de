'use strict'

// The Node.js side of the scenario goroutines: the same endpoints as server-go.
const cluster = /** @type {import('node:cluster').Cluster} */ (/** @type {unknown} */ (require('node:cluster')))
const http = require('node:http')
const { parseArgs } = require('node:util')
const loopwatch = require('../../../lib/index')
const { announce } = require('../../load/target/server')
const { kernels } = require('../kernels')
const { ways } = require('./ways')

const { values } = parseArgs({
  options: { way: { type: 'string', default: 'main' }, size: { type: 'string', default: '1' }, state: { type: 'string', default: 'atomics-add' }, port: { type: 'string', default: '0' } }
})
const size = Number(values.size)
const isCluster = values.way === 'cluster'

const agent = loopwatch.start({ port: cluster.isWorker ? false : 0, log: false, threads: 'off', origin: 'off', keep: 1000 })

/** @param {import('node:http').Server} server */
const listening = (server) => new Promise((resolve, reject) => {
  server.once('error', reject)
  server.listen(Number(values.port), '127.0.0.1', () => resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port))
})

async function serve () {
  const way = ways[isCluster ? 'main' : values.way]({ size, state: values.state })
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    try {
      if (pathname === '/work') {
        const task = { kernel: searchParams.get('kernel') ?? '', steps: Number(searchParams.get('steps')) }
        if (kernels[task.kernel] === undefined) response.writeHead(400).end('kernel and steps')
        else response.end(await way.work(task, searchParams))
      } else if (pathname === '/update' && way.update !== undefined) response.end(await way.update(Number(searchParams.get('updates'))))
      else if (pathname === '/total' && way.total !== undefined) response.end(String(way.total()))
      else if (pathname === '/health') response.end('ok')
      else response.writeHead(404).end()
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return listening(server)
}

async function main () {
  if (isCluster && cluster.isPrimary) {
    const workers = Array.from({ length: size }, () => cluster.fork())
    const ports = await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
      worker.once('message', ({ port }) => resolve(port))
      worker.once('exit', (code) => reject(new Error(`a worker ended (${code}) before it listened`)))
    })))
    const { url } = await agent.ready
    announce({ url: `http://127.0.0.1:${ports[0]}`, agents: [url], pids: [process.pid, ...workers.map((worker) => worker.process.pid)] })
    return
  }
  const port = await serve()
  const { url } = await agent.ready
  if (cluster.isWorker) process.send?.({ port })
  else announce({ url: `http://127.0.0.1:${port}`, agents: [url], pids: [process.pid] })
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
