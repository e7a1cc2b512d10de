'use strict'

// What starts applications and is none itself. NODE_OPTIONS reaches such a process like any other.
const path = require('node:path')
const { variable } = require('../options/environment')

const PACKAGE_MANAGERS = /^(npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack)(-cli)?(\.[cm]?js)?$/

/**
 * Whether a process's main script is a package manager.
 * @param {string | undefined} script process.argv[1]
 */
exports.isPackageManager = (script) => typeof script === 'string' && PACKAGE_MANAGERS.test(path.basename(script))

/**
 * Whether this process is `node --test` itself, which starts a process for each file of tests. It has no
 * inspector, and aborts when a thread of it connects to one (measured on 20.20, 22.23, 24.21, 26.10).
 * With the isolation `none` the tests run in this process, which then has an inspector.
 * @param {string[]} execArgv
 * @param {string} [options] NODE_OPTIONS, which may name the isolation
 */
exports.isTestRunner = (execArgv, options = variable('NODE_OPTIONS') ?? '') => {
  const flags = execArgv.join(' ').replaceAll('_', '-')
  return /(^| )--test( |$)/.test(flags) && !/-isolation[= ]none( |$)/.test(`${flags} ${options.replaceAll('_', '-')}`)
}
