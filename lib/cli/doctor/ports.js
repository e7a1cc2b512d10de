'use strict'

const fs = require('node:fs')
const { codedError, codedErrorFrom } = require('../../tables/errors')

/** In /proc/net/tcp. */
const LISTEN = '0A'

/** TCP ports that a process of this machine listens on. @param {number} pid */
exports.portsOf = (pid) => {
  if (process.platform !== 'linux') throw codedError('LOOPWATCH_ERR_OPTION', 'doctor', 'host:port or a url on this system', String(pid))
  const sockets = socketsOf(pid)
  const ports = ['tcp', 'tcp6'].flatMap((name) => listening(pid, name)).filter(({ inode }) => sockets.has(inode)).map(({ port }) => port)
  return [...new Set(ports)]
}

/** @param {number} pid @returns {Set<string>} inodes */
function socketsOf (pid) {
  const folder = `/proc/${pid}/fd`
  try {
    return new Set(fs.readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? []))
  } catch (error) {
    const reason = error.code === 'ENOENT' ? 'there is no such process' : 'it belongs to another user: run loopwatch as that user'
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', `process ${pid}`, reason)
  }
}

/** @param {string} file */
function linkOf (file) {
  try {
    return fs.readlinkSync(file)
  } catch {
    // It was closed meanwhile.
    return ''
  }
}

/** @param {number} pid @param {string} name @returns {{ port: number, inode: string }[]} */
function listening (pid, name) {
  try {
    const rows = fs.readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1).map((line) => line.trim().split(/\s+/))
    return rows.filter(([, , , state]) => state === LISTEN).map(([, local, , , , , , , , inode]) => ({ port: parseInt(local.split(':')[1], 16), inode }))
  } catch {
    // There is no IPv6.
    return []
  }
}
