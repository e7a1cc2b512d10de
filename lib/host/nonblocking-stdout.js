'use strict'

const fs = require('node:fs')
const { setImmediate } = require('node:timers')
const process = require('../util/process')

/**
 * Keeps the watchdog from stopping if the reader of the log stops reading. A pipe can be opened again in non-blocking
 * mode; a socket (systemd, pm2, a Node.js parent) cannot. Node.js makes a socket non-blocking when the application
 * first touches the stream, as nearly every one does. This touches it, after start() has returned.
 * @param {import('../options/table').ResolvedOptions['log']} log
 */
exports.unblockStream = (log) => {
  const target = log === true ? 1 : log === false ? undefined : log.destination ?? 1
  if (typeof target !== 'number') return
  try {
    if (!fs.fstatSync(target).isSocket()) return
  } catch {
    return // closed
  }
  setImmediate(() => {
    try {
      return target === 1 ? process.stdout : process.stderr
    } catch {
      // Node.js does not know this kind of stream; it stays as it is.
    }
  }).unref()
}
