'use strict'

const process = require('../util/process')
const { isReadable } = require('../options/environment')

/** @type {Set<string>} */
const warned = new Set()

/** Never throws. Each kind warns once. @param {string} code @param {string} message @param {string} [kind] */
exports.warnOnce = (code, message, kind = code) => {
  // Node.js reads the environment to print a warning. If that throws, the error is uncaught.
  if (warned.has(kind) || !isReadable()) return
  warned.add(kind)
  try {
    process.emitWarning(message, { type: 'LoopwatchWarning', code })
  } catch {
    // The application has replaced emitWarning(), and there is no other way to report this.
  }
}
