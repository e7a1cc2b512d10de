'use strict'

const { LoopwatchError } = require('../../tables/errors')

/** Mistakes in the command line. All others are failures of what the command was to do. */
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
/** `loopwatch test` watched nothing, so the result is neither good nor bad. */
exports.EXIT_UNWATCHED = 3
/** What a shell reports for a program that SIGINT ended. */
exports.EXIT_INTERRUPTED = 130

/** Prints the error in one line and sets the exit code; throws errors that are not ours. @param {any} error */
exports.endWith = (error) => {
  if (!(error instanceof LoopwatchError)) throw error
  process.stderr.write(`loopwatch: ${error.message} (${error.code})\n`)
  process.exitCode = USAGE.has(error.code) ? exports.EXIT_USAGE : exports.EXIT_FAILED
}

/** Usage errors of commander in the style of ours. @param {string} text */
exports.styled = (text) => text.replace(/^error: /, 'loopwatch: ')
