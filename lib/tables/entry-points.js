'use strict'

const path = require('node:path')

const NAME = 'entry-points.js'

/** False in a bundle, where `__filename` is missing (ES modules) or the bundle's. */
const isFile = typeof __filename === 'string' && path.basename(__filename) === NAME

/** Files of lib/ that are started by their path, which no import shows. Other entry points are in package.json. */
const table = {
  /** The watchdog's thread, which lib/host/watchdog-thread.js starts. */
  watchdog: 'watchdog/main.js',
  /** The thread that writes files for the watchdog. lib/watchdog/writer/file-writer.js starts it. */
  writer: 'watchdog/writer/thread.js',
  /** --require of lib/cli/run.js and lib/cli/diagnose/diagnose.js. */
  register: 'register.js',
  /** Loaded into a running process by lib/cli/attach/expressions.js. */
  start: 'host/start.js',
  /** --require of lib/cli/profile, into the profiled application. */
  profilePreload: 'cli/profile/preload.js',
  /** The thread that lib/cli/profile/cpu-thread.js starts next to a profiled main thread. */
  cpuThread: 'cli/profile/cpu-thread.js',
  /** --require of lib/cli/test/child.js, into every process that `loopwatch test` watches. */
  testPreload: 'cli/test/inside/preload.js',
  /** Root hooks that lib/cli/test/inside/preload.js gives to Mocha. */
  mochaHooks: 'cli/test/inside/mocha-hooks.js'
}

/** lib/ with a separator at its end; null in a bundle. */
exports.OWN_FOLDER = isFile ? path.join(__dirname, '..', path.sep) : null

/** In a bundle, where the file is missing, a path without lib/. @param {keyof typeof table} name */
exports.entryPoint = (name) => exports.OWN_FOLDER === null ? table[name] : path.join(exports.OWN_FOLDER, table[name])

exports.table = table
