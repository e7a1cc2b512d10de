'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const { codedErrorFrom } = require('../../tables/errors')
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
  const inodes = new Set()
  for (const fd of entries(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      if (inode !== undefined) inodes.add(inode)
    } catch {
      // It was closed meanwhile.
    }
  }
  return ['tcp', 'tcp6'].flatMap((table) => readLines(`/proc/${pid}/net/${table}`)
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[3] === LISTEN && inodes.has(cells[9]))
    .map((cells) => parseAddress(cells[1])))
}

/** The process that listens on a port of this machine; null if that cannot be seen. @param {number} port */
exports.listenerOn = (port) => {
  const pids = entries('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.find((pid) => exports.listenersOf(pid)?.some((each) => each.port === port)) ?? null
}

/** @param {string} folder */
function entries (folder) {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {string} file */
function readLines (file) {
  try {
    return fs.readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}
