'use strict'

const { spawn } = require('node:child_process')

/** @type {Partial<Record<NodeJS.Platform, string[]>>} */
const openers = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** Does nothing without a desktop. @param {string} file */
exports.openFile = (file) => {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, file], { stdio: 'ignore', detached: true }).on('error', () => {}).unref()
}
