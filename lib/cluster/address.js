'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isAlive } = require('../util/processes')

/** Longest path of a socket. sockaddr_un has 108 bytes on Linux and 104 on macOS, and cuts a longer path silently. */
const PATH_BYTES = 103
const OTHERS = 0o077
const SOCKET = /^(\d+)(-\d+)?\.sock$/

/**
 * A socket named after the pid, in a folder of this user alone; on Windows a named pipe.
 * @param {{ tmpdir: string, pid: number }} primary
 */
exports.addressOf = ({ tmpdir, pid }) =>
  process.platform === 'win32'
    ? `\\\\.\\pipe\\loopwatch-${pid}`
    : path.join(tmpdir, `loopwatch-${process.getuid?.()}`, `${pid}${namespace()}.sock`)

/** Makes the folder if it is missing. @param {string} address @returns {Error | null} why nothing may be sent there */
exports.prepareFolder = (address) => {
  if (process.platform === 'win32') return null
  try {
    fs.mkdirSync(path.dirname(address), { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') return error
  }
  return exports.checkFolder(address)
}

/**
 * Checks that another user has not made the folder first, to read the metrics or to pass for the primary.
 * @param {string} address @returns {Error | null}
 */
exports.checkFolder = (address) => {
  if (process.platform === 'win32') return null
  const folder = path.dirname(address)
  if (Buffer.byteLength(address) > PATH_BYTES) return new Error(`${address} is too long for a socket`)
  try {
    const { uid, mode } = fs.lstatSync(folder)
    if ((mode & fs.constants.S_IFMT) !== fs.constants.S_IFDIR) return new Error(`${folder} is not a folder`)
    if (uid !== process.getuid?.()) return new Error(`${folder} belongs to another user`)
    if ((mode & OTHERS) !== 0) {
      return new Error(`${folder} is open to other users (mode ${(mode & 0o777).toString(8)}, not 700)`)
    }
    return null
  } catch (error) {
    return error
  }
}

/** Removes the sockets of ended processes, and of an earlier watchdog of this one. @param {string} address */
exports.sweepFolder = (address) => {
  if (process.platform === 'win32') return
  const { dir: folder, base: own } = path.parse(address)
  try {
    for (const name of fs.readdirSync(folder)) {
      const [match, pid, space = ''] = SOCKET.exec(name) ?? []
      // Another process may sweep at the same time.
      const isStale = match !== undefined && space === namespace() && (name === own || !isAlive(Number(pid)))
      if (isStale) fs.rmSync(path.join(folder, name), { force: true })
    }
  } catch {
    // Nobody connects to a file that stays, as it belongs to no process.
  }
}

/** The pid namespace (Linux). Containers that share a temporary folder may have the same pid in two namespaces. */
function namespace () {
  try {
    return `-${/\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0]}`
  } catch {
    return ''
  }
}
