'use strict'

const { Command, CommanderError } = require('commander')
const { LoopwatchError } = require('../../tables/errors')
const { endWithReader } = require('./output')

/** Mistakes in the command line. All others are failures of the command. */
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
/** `loopwatch test` watched nothing: the result is neither good nor bad. */
exports.EXIT_UNWATCHED = 3

/** Prints our errors in one line; throws others. @param {any} error */
exports.endWith = (error) => {
  // commander has printed its message already.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exports.EXIT_USAGE
    return
  }
  if (!(error instanceof LoopwatchError)) throw error
  process.stderr.write(`loopwatch: ${error.message} (${error.code})\n`)
  process.exitCode = USAGE.has(error.code) ? exports.EXIT_USAGE : exports.EXIT_FAILED
}

/** Usage errors are thrown. @param {string} name as it is typed @param {string} listed what its help lists */
exports.makeProgram = (name, listed) => new Command(name)
  .exitOverride()
  .configureOutput({
    writeOut: (text) => {
      endWithReader()
      process.stdout.write(text)
    },
    outputError: (text, write) => write(text.replace(/^error: /, 'loopwatch: '))
  })
  .showHelpAfterError(`(${name} --help lists the ${listed})`)
