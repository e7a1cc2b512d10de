'use strict'

const process = require('../util/process')
const { isReadable } = require('../options/environment')

/** @type {Set<string>} */
const warned = new Set()

/**
 * A process warning of ours, once for each code. It never throws, whatever an application has made of warnings.
 * @param {string} code
 * @param {string} message
 * @param {string} [kind] once for each of these
 */
exports.warnOnce = (code, message, kind = code) => {
  // Node.js reads the environment to print a warning, and what that throws would be uncaught.
  if (warned.has(kind) || !isReadable()) return
  warned.add(kind)
  try {
    process.emitWarning(message, { type: 'LoopwatchWarning', code })
  } catch {
    // Then there is no way to say it.
  }
}
