'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { codedErrorFrom } = require('../../tables/errors')

const HOST = '127.0.0.1'

/**
 * If another program takes the free port first, the tool that wanted it ends and says so.
 * @param {{ flag: string, port?: number, usual: number }} wish port: given by `flag`, 0 = any; usual: the tool's own,
 *   or any free port
 */
exports.choosePort = async ({ flag, port, usual }) => {
  try {
    return await probe(port ?? usual)
  } catch (error) {
    if (port !== undefined) throw codedErrorFrom(error, 'LOOPWATCH_ERR_PORT', flag, port)
    return probe(0)
  }
}

/** @param {number} port @throws if it is taken or not allowed */
async function probe (port) {
  const server = net.createServer()
  server.listen({ port, host: HOST, exclusive: true })
  await once(server, 'listening')
  const found = /** @type {net.AddressInfo} */ (server.address()).port
  server.close()
  await once(server, 'close')
  return found
}
