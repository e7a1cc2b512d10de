'use strict'

const fs = require('node:fs')
const os = require('node:os')

const LISTEN = '0A'
/** ::ffff:0:0/96, IPv4 in IPv6 */
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex')
/** ::1 */
const ONE = Buffer.from('00000000000000000000000000000001', 'hex')

/** @typedef {{ host: string, port: number, isLoopback: boolean }} Listener host: the address as in a URL */

/** Where a process listens for TCP, by the kernel's tables; null on other systems than Linux. @param {number} pid */
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

/** Reads words of four bytes, each in this machine's order. @param {string} text `0100007F:2406` = 127.0.0.1:9222 */
function parseAddress (text) {
  const [hex, port] = text.split(':')
  const words = /** @type {string[]} */ (hex.match(/.{8}/g)).map((word) => Buffer.from(word, 'hex'))
  const bytes = Buffer.concat(os.endianness() === 'LE' ? words.map((word) => word.reverse()) : words)
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).equals(MAPPED)
  const four = bytes.length === 4 ? bytes : isMapped ? bytes.subarray(12) : null
  return {
    // A URL shortens the zeros.
    host: four !== null ? four.join('.') : new URL(`http://[${bytes.toString('hex').match(/.{4}/g)?.join(':')}]`).hostname,
    port: Number.parseInt(port, 16),
    isLoopback: four !== null ? four[0] === 127 : bytes.equals(ONE)
  }
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

exports.parseAddress = parseAddress
