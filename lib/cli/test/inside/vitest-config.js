'use strict'

const path = require('node:path')
const process = require('../../../util/process')

const SETUP_FILE = path.join(__dirname, 'vitest.mjs').replaceAll('\\', '/')
const OURS = /[\\/]cli[\\/]test[\\/]inside[\\/]vitest\.mjs$/

/** @typedef {{ setupFiles?: unknown, pool?: string }} Config */
/** @typedef {{ pool?: string, config?: Config }} Context */

/**
 * Vitest sends the configuration to a process of tests: version 4 as `context` of its first message, version 3 as
 * `task` of each. Other messages stay as they are. @param {any} message
 */
function addSetupFile (message) {
  const context = /** @type {Context | undefined} */ (message?.context ?? message?.task)
  const config = context?.config
  if (!Array.isArray(config?.setupFiles) || (context?.pool ?? config.pool) !== 'forks') return
  if (!config.setupFiles.some((file) => OURS.test(file))) config.setupFiles.push(SETUP_FILE)
}

/**
 * Vitest loads our setup file even if its configuration does not name it. Our listener is added together with Vitest's:
 * alone it would consume the first messages.
 */
exports.follow = () => {
  const onListener = (/** @type {string} */ event) => {
    if (event !== 'message') return
    process.off('newListener', onListener)
    process.prependListener('message', addSetupFile)
  }
  process.on('newListener', onListener)
}
