'use strict'

const fs = require('node:fs')

const LISTEN = '0A'

/**
 * The TCP ports on which a process listens, from its open files and the kernel's tables (Linux).
 * @param {number} pid
 * @returns {number[] | null} null = this system does not tell
 */
exports.listeningPorts = (pid) => {
  if (process.platform !== 'linux') return null
  const inodes = new Set()
  for (const fd of entries(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      if (inode !== undefined) inodes.add(inode)
    } catch {
      // Closed meanwhile.
    }
  }
  return ['tcp', 'tcp6'].flatMap((table) => {
    const lines = readLines(`/proc/${pid}/net/${table}`)
    return lines.map((line) => line.trim().split(/\s+/))
      .filter((cells) => cells[3] === LISTEN && inodes.has(cells[9]))
      .map((cells) => Number.parseInt(/** @type {string} */ (cells[1].split(':').pop()), 16))
  })
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
