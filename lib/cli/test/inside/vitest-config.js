'use strict'

const path = require('node:path')
const process = require('../../../util/process')

const SETUP_FILE = path.join(__dirname, 'vitest.mjs').replaceAll('\\', '/')
/** Ours, of whichever copy of the package. */
const OURS = /[\\/]cli[\\/]test[\\/]inside[\\/]vitest\.mjs$/

/**
 * @typedef {{ setupFiles?: unknown, pool?: string }} Config
 * @typedef {{ pool?: string, config?: Config }} Context
 */

/**
 * Adds our setup file to the configuration that Vitest sends to a process of tests: in Vitest 4 as `context` of its
 * first message, in Vitest 3 as `task` of each. Any other message stays as it is.
 * @param {any} message
 */
function addSetupFile (message) {
  const context = /** @type {Context | undefined} */ (message?.context ?? message?.task)
  const config = context?.config
  if (!Array.isArray(config?.setupFiles) || (context?.pool ?? config.pool) !== 'forks') return
  if (!config.setupFiles.some((file) => OURS.test(file))) config.setupFiles.push(SETUP_FILE)
}

/**
 * Has Vitest load the setup file, also if its configuration does not name it. The listener comes with Vitest's own:
 * alone it would take the first messages.
 */
exports.follow = () => {
  const onListener = (/** @type {string} */ event) => {
    if (event !== 'message') return
    process.off('newListener', onListener)
    process.prependListener('message', addSetupFile)
  }
  process.on('newListener', onListener)
}

exports.addSetupFile = addSetupFile
