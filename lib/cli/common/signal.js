'use strict'

const IS_WINDOWS = process.platform === 'win32'

/** @param {number} pid @param {NodeJS.Signals | 0} name @returns {boolean} whether it was there */
function signal (pid, name) {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * All that a child process has started, with itself: it leads a group, which Windows does not have.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} name
 */
exports.signalGroup = ({ pid }, name) => { if (pid !== undefined) signal(IS_WINDOWS ? pid : -pid, name) }

exports.signal = signal
exports.IS_WINDOWS = IS_WINDOWS
