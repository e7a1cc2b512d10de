'use strict'

/** Of one file of tests, by the two packages from which Vitest forks it. */
const FORKED = /[\\/]node_modules[\\/](vitest[\\/]dist|tinypool)[\\/]/
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
 * Whether a process is forked by Vitest for a file of tests. Only the setup file `loopwatch/vitest` tells of its tests:
 * it is watched from there on.
 * @param {string | undefined} script process.argv[1]
 */
exports.isForkedByVitest = (script = '') => FORKED.test(script)

/**
 * Whether nothing of a process can count before a setup file says otherwise, so that it need not be watched.
 * @param {string | undefined} script process.argv[1]
 */
exports.isOfTool = (script = '') => FORKED.test(script) || COMMANDS.has(commandOf(script))
