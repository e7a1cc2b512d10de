'use strict'

/** @import { ChildProcess } from 'node:child_process' */

const IS_WINDOWS = process.platform === 'win32'

/** Whether the process was there. @param {number} pid @param {NodeJS.Signals | 0} name */
function signal (pid, name) {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * The child leads a process group (not on Windows), so all that it started gets the signal.
 * @param {ChildProcess} child @param {NodeJS.Signals} name
 */
exports.signalGroup = ({ pid }, name) => { if (pid !== undefined) signal(IS_WINDOWS ? pid : -pid, name) }

exports.signal = signal
exports.IS_WINDOWS = IS_WINDOWS
