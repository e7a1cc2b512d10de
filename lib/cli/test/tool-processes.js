'use strict'

/** Scripts from which Vitest forks a process for one file of tests. */
const FORKED = /[\\/]node_modules[\\/](vitest[\\/]dist|tinypool)[\\/]/
/** Scripts of worker threads in which Vitest, AVA or Jest run tests. */
const THREAD = new RegExp([
  /[\\/]node_modules[\\/](?:vitest[\\/]dist[\\/]workers|tinypool[\\/]dist[\\/]entry)[\\/]/,
  /[\\/]node_modules[\\/](?:ava[\\/]lib[\\/]worker|jest-worker[\\/]build)[\\/]/
].map(({ source }) => source).join('|'))
/** Commands that compile, lint or start others, or their packages: they run no code of the application. */
const COMMANDS = new Set([
  'biome', 'borp', 'c8', 'concurrently', 'cross-env', 'esbuild', 'eslint', 'neostandard', 'npm-run-all', 'nyc',
  'prettier', 'rollup', 'run-p', 'run-s', 'standard', 'tsc', 'tsd', 'tstyche', 'typescript', 'vite', 'vitest',
  'webpack', 'xo'
])

/** @param {string} script a package's main one, or its link in `.bin` */
function commandOf (script) {
  const [, ...folders] = script.split(/[\\/]node_modules[\\/]/)
  const [first, second] = (folders.at(-1) ?? '').split(/[\\/]/)
  return first === '.bin' ? second : first
}

/** Whether it runs a file of tests, which our setup file watches. @param {string} [script] argv[1] of it */
exports.isForkedByVitest = (script = '') => FORKED.test(script)

/** @param {string} [script] process.argv[1] of the thread */
exports.isRunnersThread = (script = '') => THREAD.test(script)

/** Whether a process is not watched until a setup file asks for it. @param {string} [script] process.argv[1] */
exports.isOfTool = (script = '') => FORKED.test(script) || COMMANDS.has(commandOf(script))

/** The suffix of a file in the work folder, one for each such thread that is not watched. */
exports.THREAD_SUFFIX = '.thread'
