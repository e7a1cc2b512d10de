'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { codedErrorFrom } = require('../../tables/errors')
const { linkOf, namesIn, textOf } = require('../../util/kernel/file')
const { parseAddress } = require('../../util/socket-address')

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

const LISTEN = '0A'

/** @typedef {{ host: string, port: number, isLoopback: boolean }} Listener host: the address as in a URL */

/** TCP listeners by the kernel's tables; null on other systems than Linux. @param {number} pid */
exports.listenersOf = (pid) => {
  if (process.platform !== 'linux') return null
  const links = namesIn(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
  return ['tcp', 'tcp6'].flatMap((table) => textOf(`/proc/${pid}/net/${table}`).split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[3] === LISTEN && inodes.has(cells[9]))
    .map((cells) => parseAddress(cells[1])))
}

/** The process that listens on a port of this machine; null if that cannot be seen. @param {number} port */
exports.listenerOn = (port) => {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.find((pid) => exports.listenersOf(pid)?.some((each) => each.port === port)) ?? null
}
