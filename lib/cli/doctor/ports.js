'use strict'

const fs = require('node:fs')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { listenersOf } = require('../common/listeners')

/** The TCP ports that a process of this machine listens on. @param {number} pid */
exports.portsOf = (pid) => {
  const listeners = listenersOf(pid)
  if (listeners === null) throw codedError('LOOPWATCH_ERR_OPTION', 'doctor', 'host:port or a url on this system', String(pid))
  try {
    fs.readdirSync(`/proc/${pid}/fd`)
  } catch (error) {
    const reason = error.code === 'ENOENT' ? 'there is no such process' : 'it belongs to another user: run loopwatch as that user'
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', `process ${pid}`, reason)
  }
  return [...new Set(listeners.map(({ port }) => port))]
}
