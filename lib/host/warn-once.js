'use strict'

const process = require('../util/process')

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
