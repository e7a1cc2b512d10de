'use strict'

const http = require('node:http')
const { createEndpoints } = require('./endpoints')

/**
 * @typedef {{ port: number, database: string, connections: number, steps: number, threads: number, reusePort: boolean
 * }} Options
 */

/** One connection as in the original, or a pool of several. @param {Options} options */
async function connect ({ database: connectionString, connections }) {
  if (connectionString === '') return null
  const { Client, Pool } = require('pg')
  if (connections > 1) {
    const pool = new Pool({ connectionString, max: connections })
    // An idle connection that is lost: the next query says so to who asked.
    pool.on('error', () => {})
    // All of them from the start, as the other topologies have theirs.
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
    for (const client of clients) client.release()
    return pool
  }
  const client = new Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Serves in this process.
 * @param {Options} options
 * @returns {Promise<number>} the port
 */
exports.serve = async (options) => {
  const endpoints = createEndpoints({ ...options, database: await connect(options) })
  const server = http.createServer(async (request, response) => {
    const endpoint = endpoints[request.url ?? '']
    if (endpoint === undefined) return response.writeHead(404).end()
    try {
      const text = await endpoint()
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: '127.0.0.1', ...(options.reusePort ? { reusePort: true } : {}) }, () => resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port))
  })
}
