'use strict'

const net = require('node:net')

/**
 * Whether one can listen there now.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
exports.isFree = (port) => new Promise((resolve) => {
  const server = net.createServer()
  server.on('error', () => resolve(false))
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
})
