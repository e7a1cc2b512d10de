'use strict'

// Programs that start applications and are none themselves. NODE_OPTIONS reaches them like any other process.
const path = require('node:path')
const { variable } = require('../options/environment')

const PACKAGE_MANAGERS = /^(npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack)(-cli)?(\.[cm]?js)?$/

/** @param {string | undefined} script process.argv[1] */
exports.isPackageManager = (script) => typeof script === 'string' && PACKAGE_MANAGERS.test(path.basename(script))

/**
 * Whether this process is `node --test` itself, which starts a process for each test file. It has no inspector, and it
 * aborts when one of its threads connects to one (measured on 20.20, 22.23, 24.21, 26.10). With the isolation `none`
 * the tests run in this process, which then has an inspector.
 * @param {string[]} execArgv @param {string} [options] NODE_OPTIONS, which may name the isolation
 */
exports.isTestRunner = (execArgv, options = variable('NODE_OPTIONS') ?? '') => {
  const flags = execArgv.join(' ').replaceAll('_', '-')
  return /(^| )--test( |$)/.test(flags) && !/-isolation[= ]none( |$)/.test(`${flags} ${options.replaceAll('_', '-')}`)
}
