'use strict'

// NODE_OPTIONS reaches launchers and tools as well as applications.
const fs = require('node:fs')
const path = require('node:path')
const process = require('../util/process')
const { allFlags, variable } = require('../options/environment')

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

/** Packages of test runners, and of the processes in which they run test files. */
const RUNNERS = new Set([
  'mocha', 'jest', 'jest-cli', 'jest-worker', 'vitest', 'tinypool', 'ava', 'tap', '@tapjs', 'lab'
])
const SCOPES = new Set(['.bin', '@hapi'])

/** @param {string} file of a command line */
function isRunner (file) {
  const parts = file.split(path.sep)
  const [folder, name] = parts.slice(parts.lastIndexOf('node_modules') + 1)
  return parts.includes('node_modules') && RUNNERS.has(SCOPES.has(folder) ? name : folder)
}

/**
 * Whether this process is a test runner, or was started by one. The parent is known on Linux only; `node --test` sets a
 * variable, which the processes of a test file inherit, and Vitest a title.
 * @param {string | null} file the main file @param {string} [parent] its command line
 */
exports.isTested = (file, parent = commandOf(process.ppid)) => {
  const args = parent.split('\0')
  const isTestFile = variable('NODE_TEST_CONTEXT') !== undefined && args.includes('--test')
  return isTestFile || parent.startsWith('node (vitest') || [file ?? '', ...args].some(isRunner)
}

/** @param {number} pid @returns {string} empty if it cannot be read */
function commandOf (pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
