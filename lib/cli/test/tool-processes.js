'use strict'

/** Scripts of two packages from which Vitest forks a process for one file of tests. */
const FORKED = /[\\/]node_modules[\\/](vitest[\\/]dist|tinypool)[\\/]/
/** Scripts of worker threads in which Vitest, AVA or Jest runs tests. */
const THREAD = /[\\/]node_modules[\\/](vitest[\\/]dist[\\/]workers|tinypool[\\/]dist[\\/]entry|ava[\\/]lib[\\/]worker|jest-worker[\\/]build)[\\/]/
/** Commands, or their packages, whose own process runs no code of the application: they compile, lint, start others. */
const COMMANDS = new Set([
  'biome', 'borp', 'c8', 'concurrently', 'cross-env', 'esbuild', 'eslint', 'neostandard', 'npm-run-all', 'nyc', 'prettier', 'rollup', 'run-p',
  'run-s', 'standard', 'tsc', 'tsd', 'tstyche', 'typescript', 'vite', 'vitest', 'webpack', 'xo'
])

/** The package of a main script, or its link in `.bin`. @param {string} script */
function commandOf (script) {
  const [, ...folders] = script.split(/[\\/]node_modules[\\/]/)
  const [first, second] = (folders.at(-1) ?? '').split(/[\\/]/)
  return first === '.bin' ? second : first
}

/** Whether Vitest forked a process for test files; our setup file watches it. @param {string} [script] argv[1] of it */
exports.isForkedByVitest = (script = '') => FORKED.test(script)

/** Whether a worker thread runs the tests of a runner. @param {string} [script] process.argv[1] of the thread */
exports.isRunnersThread = (script = '') => THREAD.test(script)

/** Whether a process needs no watching until a setup file asks for it. @param {string} [script] process.argv[1] */
exports.isOfTool = (script = '') => FORKED.test(script) || COMMANDS.has(commandOf(script))

/** The suffix of a file in the work folder, one for each such thread that is not watched. */
exports.THREAD_SUFFIX = '.thread'
