'use strict'

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
 * With all that the child started. It leads a process group, which Windows does not have.
 * @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} name
 */
exports.signalGroup = ({ pid }, name) => { if (pid !== undefined) signal(IS_WINDOWS ? pid : -pid, name) }

exports.signal = signal
exports.IS_WINDOWS = IS_WINDOWS
