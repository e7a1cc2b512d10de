'use strict'

/** Processes that Vitest forks for files of tests. */
const FORKED = /[\\/]node_modules[\\/](vitest[\\/]dist|tinypool)[\\/]/
const COMMAND = /[\\/]node_modules[\\/](\.bin[\\/]vitest|vitest[\\/]vitest\.mjs)$/

/**
 * Whether a process is forked by Vitest for a file of tests. Only the setup file `loopwatch/vitest` tells of its tests:
 * it is watched from there on.
 * @param {string | undefined} script process.argv[1]
 */
exports.isForkedByVitest = (script = '') => FORKED.test(script)

/** Whether it is such a process, or Vitest itself. @param {string | undefined} script process.argv[1] */
exports.isOfVitest = (script = '') => FORKED.test(script) || COMMAND.test(script)
