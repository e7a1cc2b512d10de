'use strict'

const fs = require('node:fs')
const { parseAddress } = require('../../util/socket-address')

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
