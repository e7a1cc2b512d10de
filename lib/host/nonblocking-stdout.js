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
 * Makes a socket (systemd, pm2, a Node.js parent) non-blocking, so that the watchdog goes on if the reader of the log
 * stops reading. Node.js does that when the stream is first touched, as here, after start() has returned. The watchdog
 * itself opens pipes again in non-blocking mode.
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
      // Node.js does not support this kind of stream.
    }
  }).unref()
}

/**
 * In pm2's cluster mode a worker has the stdout and stderr of pm2's daemon, and pm2 replaces write() with a function
 * that appends to the application's log files. The watchdog's lines go to these files, too, which pm2 creates.
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

/** Settings that pm2 unpacks into the environment after preloads have run. @returns {Record<string, unknown>} */
function settingsOfPm2 () {
  const env = environment()
  try {
    return env.pm2_env === undefined ? env : JSON.parse(env.pm2_env) ?? {}
  } catch {
    return {}
  }
}

/** Names that mean "no file" to pm2 are excluded. @param {unknown} path @returns {path is string} */
const isFile = (path) => typeof path === 'string' && !/NULL|\/dev\/null|^\\\\\.\\NUL$/.test(path)
