'use strict'

// An application may put a browser's in place of its global one.
const process = require('node:process')

/** @type {Set<string>} */
const warned = new Set()

/**
 * A process warning of ours, once for each code.
 * @param {string} code
 * @param {string} message
 */
exports.warnOnce = (code, message) => {
  if (warned.has(code)) return
  warned.add(code)
  process.emitWarning(message, { type: 'LoopwatchWarning', code })
}
