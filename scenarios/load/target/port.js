'use strict'

const net = require('node:net')
const { codedErrorFrom } = require('../../../lib/tables/errors')

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
    server.once('error', (error) => reject(codedErrorFrom(error, 'LOOPWATCH_ERR_PORT', flag, port)))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
