'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { codedErrorFrom } = require('../../tables/errors')

const HOST = '127.0.0.1'

/**
 * A port on which nothing listens at this moment; what takes it in the next one makes the tool
 * that wanted it end, and say so.
 * @param {object} wish
 * @param {string} wish.flag that asks for a certain one
 * @param {number} [wish.port] asked for, 0 = any
 * @param {number} wish.usual the tool's own; where it is taken, any
 * @returns {Promise<number>}
 */
exports.choosePort = async ({ flag, port, usual }) => {
  try {
    return await probe(port ?? usual)
  } catch (error) {
    if (port !== undefined) throw codedErrorFrom(error, 'LOOPWATCH_ERR_PORT', flag, port)
    return probe(0)
  }
}

/** @param {number} port @throws where it is taken, or not allowed */
async function probe (port) {
  const server = net.createServer()
  server.listen({ port, host: HOST, exclusive: true })
  await once(server, 'listening')
  const found = /** @type {net.AddressInfo} */ (server.address()).port
  server.close()
  await once(server, 'close')
  return found
}
