'use strict'

// NODE_OPTIONS reaches launchers and tools as well as applications.
const fs = require('node:fs')
const path = require('node:path')
const process = require('../util/process')
const { allFlags } = require('../options/environment')

/** Names of package managers, which may lie outside node_modules: `.yarn/releases/yarn-4.9.1.cjs`, `/opt/yarn.js`. */
const PACKAGE_MANAGERS = /^(npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack)(-cli)?(-\d[\w.-]*?)?(\.[cm]?js)?$/

/** @param {string | undefined} script process.argv[1] */
exports.isPackageManager = (script) => typeof script === 'string' && PACKAGE_MANAGERS.test(path.basename(script))

/** The main file; null with -e, on the REPL and for code from stdin. */
exports.mainFile = () => {
  const file = process.argv?.[1]
  if (typeof file !== 'string' || !path.isAbsolute(file)) return null
  try {
    return fs.realpathSync(file)
  } catch {
    // The path may lack its extension, which Node.js adds itself.
    return file
  }
}

/**
 * Whether somebody wrote this program to be run here. Programs of packages (eslint, webpack, nodemon, cross-env),
 * package managers and code without a file are not one's own. @param {string | null} file
 */
exports.isOwnProgram = (file) =>
  file !== null && !file.split(path.sep).includes('node_modules') && !exports.isPackageManager(file)

/**
 * Patterns match the name of the main file, with or without its extension, or the end of its path; `*` is any text.
 * @param {string | null} file @param {string[]} only none = all @param {string[]} skip
 */
exports.isWatched = (file, only, skip) => {
  const isNamed = (/** @type {string} */ pattern) => {
    const path = pattern.replace(/[^*\w/-]/g, '\\$&').replaceAll('*', '.*')
    return new RegExp(`(^|[\\/\\\\])${path}(\\.[cm]?[jt]s)?$`).test(file ?? '')
  }
  return (only.length === 0 || only.some(isNamed)) && !skip.some(isNamed)
}

/**
 * Whether this process is `node --test` itself, which starts a process for each test file, has no inspector, and aborts
 * when a thread connects to one (20.20 to 26.10). With the isolation `none` the tests run in this process, which then
 * has an inspector.
 * @param {string[]} execArgv @param {string} [options] NODE_OPTIONS, which may name the isolation
 */
exports.isTestRunner = (execArgv, options) =>
  /(^| )--test( |$)/.test(allFlags(execArgv, '')) && !/-isolation[= ]none( |$)/.test(allFlags(execArgv, options))
