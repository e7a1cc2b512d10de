'use strict'

/** Of one file of tests, by the two packages from which Vitest forks it. */
const FORKED = /[\\/]node_modules[\\/](vitest[\\/]dist|tinypool)[\\/]/
/** Of a worker thread in which Vitest, AVA or Jest runs tests. */
const THREAD = /[\\/]node_modules[\\/](vitest[\\/]dist[\\/]workers|tinypool[\\/]dist[\\/]entry|ava[\\/]lib[\\/]worker|jest-worker[\\/]build)[\\/]/
/**
 * Commands, or their packages, in whose own process no code of the application runs: they compile, lint, count, or
 * start others.
 */
const COMMANDS = new Set([
  'biome', 'borp', 'c8', 'concurrently', 'cross-env', 'esbuild', 'eslint', 'neostandard', 'npm-run-all', 'nyc', 'prettier', 'rollup', 'run-p',
  'run-s', 'standard', 'tsc', 'tsd', 'tstyche', 'typescript', 'vite', 'vitest', 'webpack', 'xo'
])

/** The package that a main script is of, or its link in `.bin`. @param {string} script */
function commandOf (script) {
  const [, ...folders] = script.split(/[\\/]node_modules[\\/]/)
  const [first, second] = (folders.at(-1) ?? '').split(/[\\/]/)
  return first === '.bin' ? second : first
}

/**
 * Whether a process is forked by Vitest for files of tests. It is watched from our setup file on.
 * @param {string | undefined} script process.argv[1]
 */
exports.isForkedByVitest = (script = '') => FORKED.test(script)

/**
 * Whether a worker thread runs the tests of a runner.
 * @param {string | undefined} script process.argv[1] of the thread
 */
exports.isRunnersThread = (script = '') => THREAD.test(script)

/**
 * Whether nothing of a process can count before a setup file says otherwise, so that it need not be watched.
 * @param {string | undefined} script process.argv[1]
 */
exports.isOfTool = (script = '') => FORKED.test(script) || COMMANDS.has(commandOf(script))

/** Of a file in the work folder of the command, one for each such thread that is not watched. */
exports.THREAD_SUFFIX = '.thread'
