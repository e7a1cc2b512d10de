'use strict'

const { LoopwatchError } = require('../../tables/errors')

/** Errors of whoever typed the command; all others are failures of what it was to do. */
const USAGE = new Set([
  'LOOPWATCH_ERR_OPTION',
  'LOOPWATCH_ERR_OPTION_UNKNOWN',
  'LOOPWATCH_ERR_OPTIONS',
  'LOOPWATCH_ERR_ADDRESS',
  'LOOPWATCH_ERR_TARGET',
  'LOOPWATCH_ERR_COMMAND',
  'LOOPWATCH_ERR_RATCHET',
  'LOOPWATCH_ERR_SCENARIO',
  'LOOPWATCH_ERR_VARIANT'
])

exports.EXIT_FAILED = 1
exports.EXIT_USAGE = 2
/** `loopwatch test` has watched nothing: it is neither good nor bad. */
exports.EXIT_UNWATCHED = 3
/** As a shell has it of a program that SIGINT has ended. */
exports.EXIT_INTERRUPTED = 130

/**
 * Says why a command has failed, in one line, and sets the exit code. What is no error of ours is thrown.
 * @param {any} error
 */
exports.endWith = (error) => {
  if (!(error instanceof LoopwatchError)) throw error
  process.stderr.write(`loopwatch: ${error.message} (${error.code})\n`)
  process.exitCode = USAGE.has(error.code) ? exports.EXIT_USAGE : exports.EXIT_FAILED
}

/** What commander says of wrong usage, in the style of our own errors. @param {string} text */
exports.styled = (text) => text.replace(/^error: /, 'loopwatch: ')
