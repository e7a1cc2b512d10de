'use strict'

const path = require('node:path')

const NAME = 'entry-points.js'

/**
 * Whether this source is still a file of its own. In a bundle of CommonJS `__filename` is the bundle's, and beside that
 * there may well be a file of the application by the name of one of ours; in a bundle of ES modules there is none.
 */
const isFile = typeof __filename === 'string' && path.basename(__filename) === NAME

/**
 * Every file of lib/ that is started by its path, so that no import leads there: who starts it, and as what. The doors
 * of the package (lib/index.js, lib/register.js, lib/cli/main.js, what test runners load) are in package.json.
 */
const table = {
  /** The watchdog's thread: lib/host/watchdog-thread.js, as a Worker. */
  watchdog: 'watchdog/main.js',
  /** Beside the watchdog, where it writes to files: lib/watchdog/writer/file-writer.js, as a Worker. */
  writer: 'watchdog/writer/thread.js',
  /** Before an application: lib/cli/run.js and lib/cli/diagnose/diagnose.js, by --require. */
  register: 'register.js',
  /** In a running process: lib/cli/attach/expressions.js, by require() in an expression. */
  start: 'host/start.js',
  /** Before an application that is profiled: lib/cli/profile, by --require. */
  profilePreload: 'cli/profile/preload.js',
  /** Beside a main thread that is profiled: lib/cli/profile/cpu-thread.js itself, as a Worker. */
  cpuThread: 'cli/profile/cpu-thread.js',
  /** Before every process that `loopwatch test` watches: lib/cli/test/child.js, by --require. */
  testPreload: 'cli/test/inside/preload.js',
  /** In Mocha: lib/cli/test/inside/preload.js, as a file of root hooks. */
  mochaHooks: 'cli/test/inside/mocha-hooks.js'
}

/** lib/ with a separator at its end; null in a bundle. */
exports.OWN_FOLDER = isFile ? path.join(__dirname, '..', path.sep) : null

/**
 * The path of an entry point.
 * @param {keyof typeof table} name
 * @returns {string} in a bundle, where the file is not to be had, without lib/
 */
exports.entryPoint = (name) => exports.OWN_FOLDER === null ? table[name] : path.join(exports.OWN_FOLDER, table[name])

exports.table = table
