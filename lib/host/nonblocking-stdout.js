'use strict'

const fs = require('node:fs')
const { setImmediate } = require('node:timers')
const { clusterIfLoaded } = require('./cluster-role')
const { environment } = require('../options/environment')
const process = require('../util/process')

/** @import { ResolvedOptions } from '../options/table' */

/** @typedef {ResolvedOptions['log']} Log */

/** @param {Log} log */
const targetOf = (log) => log === true ? 1 : log === false ? undefined : log.destination ?? 1

/**
 * Keeps the watchdog from stopping if the reader of the log stops reading. A pipe can be opened again in non-blocking
 * mode; a socket (systemd, pm2, a Node.js parent) cannot. Node.js makes a socket non-blocking when the application
 * first touches the stream, as nearly every one does. This touches it, after start() has returned.
 * @param {Log} log
 */
exports.unblockStream = (log) => {
  const target = targetOf(log)
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

/**
 * In pm2's cluster mode stdout and stderr of a worker are those of pm2's daemon: pm2 replaces their write() by one that
 * appends to the application's log files. The watchdog's lines go to these files, too, which pm2 creates.
 * @param {Log} log @returns {Log}
 */
exports.besideApplication = (log) => {
  const target = targetOf(log)
  if (typeof target !== 'number' || !clusterIfLoaded()?.isWorker) return log
  const pm2 = settingsOfPm2()
  if (pm2.exec_mode !== 'cluster_mode') return log
  const isOff = `${pm2.disable_logs}` === 'true'
  const file = [target === 1 ? pm2.pm_out_log_path : pm2.pm_err_log_path, pm2.pm_log_path].find(isFile)
  if (isOff || file === undefined) return false
  return { ...(log !== true && log), destination: file, creates: false }
}

/** A preload runs before pm2 unpacks them into the environment. @returns {Record<string, unknown>} */
function settingsOfPm2 () {
  const env = environment()
  try {
    return env.pm2_env === undefined ? env : JSON.parse(env.pm2_env) ?? {}
  } catch {
    return {}
  }
}

/** pm2 takes these names for no file. @param {unknown} path @returns {path is string} */
const isFile = (path) => typeof path === 'string' && !/NULL|\/dev\/null|^\\\\\.\\NUL$/.test(path)
