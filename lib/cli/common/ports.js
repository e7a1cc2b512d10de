'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { codedErrorFrom } = require('../../tables/errors')
const { linkOf, namesIn, textOf } = require('../../util/kernel/file')
const { parseAddress } = require('../../util/socket-address')

const HOST = '127.0.0.1'

/** A port that nobody uses: if another program takes it first, the tool that wanted it says so. */
exports.freePort = () => listenOnce(0, HOST)

/**
 * Fails if an agent could never listen there. A port that is taken is none of these: the agent uses the next one. A
 * name server that does not answer may answer later.
 * @param {number} port 0 = any @param {string} [host] @throws LOOPWATCH_ERR_PORT, LOOPWATCH_ERR_OPTION
 */
exports.checkEndpoint = async (port, host = HOST) => {
  try {
    await listenOnce(port, host)
  } catch (error) {
    if (error.code === 'EACCES') throw codedErrorFrom(error, 'LOOPWATCH_ERR_PORT', '--port', port)
    if (error.code === 'EADDRINUSE' || error.code === 'EAI_AGAIN') return
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OPTION', '--host', 'an address of this machine, or a name of one', host)
  }
}

/** The port that it was. @param {number} port 0 = any @param {string} host */
async function listenOnce (port, host) {
  const server = net.createServer()
  server.listen({ port, host, exclusive: true })
  await once(server, 'listening')
  const address = /** @type {net.AddressInfo} */ (server.address())
  server.close()
  await once(server, 'close')
  return address.port
}

const LISTEN = '0A'

/** @typedef {{ host: string, port: number, isLoopback: boolean }} Listener host: the address as in a URL */

/** All rows of the kernel's TCP tables; fd is undefined if the process does not have the socket. @param {number} pid */
exports.tcpRows = (pid) => {
  const fds = new Map(namesIn(`/proc/${pid}/fd`).map((fd) => [linkOf(`/proc/${pid}/fd/${fd}`), Number(fd)]))
  return ['tcp', 'tcp6'].flatMap((table) => textOf(`/proc/${pid}/net/${table}`).split('\n').map((line) => {
    const [, local, remote, state, queues, , , , , inode] = line.trim().split(/\s+/)
    return { local, remote, state, queues, inode, fd: fds.get(`socket:[${inode}]`) }
  }))
}

/** TCP listeners by the kernel's tables; null on other systems than Linux. @param {number} pid */
exports.listenersOf = (pid) => process.platform !== 'linux'
  ? null
  : exports.tcpRows(pid)
    .filter(({ state, fd }) => state === LISTEN && fd !== undefined)
    .map(({ local }) => parseAddress(local))

/** The process that listens on a port of this machine; null if that cannot be seen. @param {number} port */
exports.listenerOn = (port) => {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.find((pid) => exports.listenersOf(pid)?.some((each) => each.port === port)) ?? null
}

exports.LISTEN = LISTEN
