'use strict'

const net = require('node:net')

/**
 * Rejects where a port is somebody else's. 0 = any free one.
 * @param {number} port
 * @param {string} flag that chose it
 * @returns {Promise<void>}
 */
exports.checkPort = (port, flag) => port === 0
  ? Promise.resolve()
  : new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => reject(new Error(
      error.code === 'EADDRINUSE' ? `port ${port} is taken: end what listens there, or give another ${flag}` : `port ${port} cannot be listened on: ${error.message}`, { cause: error })))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
