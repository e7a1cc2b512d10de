'use strict'

const { Option } = require('commander')
const { makeProgram } = require('../../lib/cli/common/failure')
const { number } = require('../../lib/cli/common/flags')
const { codedError } = require('../../lib/tables/errors')

const LONGEST_SECONDS = 86400
const LAST_PORT = 65535
const DEFAULT_PORT = 9464
const DEFAULT_WORKER_PORT = 9465
const DEFAULT_EVERY_SECONDS = 1.5

/** @param {string} flag */
const seconds = (flag) => (/** @type {string} */ text) => {
  const value = Number(text)
  if (!(value > 0 && value <= LONGEST_SECONDS)) throw codedError('LOOPWATCH_ERR_OPTION', flag, `seconds, above 0 and up to ${LONGEST_SECONDS}`, text)
  return value
}

/** @param {string} flag */
const port = (flag) => number(flag, 0, LAST_PORT)

/**
 * @param {string[]} args
 * @param {string} command as it was typed
 * @returns {{ seconds?: number, every: number, port?: number, workerPort?: number, appPort: number,
 *   format?: 'pretty' | 'json' }}
 */
exports.readFlags = (args, command) => makeProgram(command, 'flags')
  .description('A small shop whose endpoints block the event loop in seven ways, and a queue worker, watched by loopwatch.')
  .option('--seconds <n>', 'stop after this time (default: on Ctrl-C)', seconds('--seconds'))
  .option('--every <n>', 'seconds between two requests that block', seconds('--every'), DEFAULT_EVERY_SECONDS)
  .addOption(new Option('--port <port>', `port of the agent's endpoint, 0 = any free one (default: ${DEFAULT_PORT}, or a free port if that is taken)`)
    .env('LOOPWATCH_PORT').argParser(port('--port or LOOPWATCH_PORT')))
  .option('--worker-port <port>', `port of the worker's agent (default: ${DEFAULT_WORKER_PORT}, or a free port if that is taken)`, port('--worker-port'))
  .addOption(new Option('--format <format>', 'readable text, or JSON lines (default: pretty on a terminal, otherwise json)').choices(['pretty', 'json']))
  .option('--app-port <port>', 'port of the shop', port('--app-port'), 0)
  .addHelpText('after', `\nExamples:\n  $ ${command} --seconds 20\n  $ ${command} --every 5 --port 0\n  $ ${command} --format pretty | tee demo.log\n`)
  .allowExcessArguments(false)
  .parse(args, { from: 'user' })
  .opts()

exports.DEFAULT_PORT = DEFAULT_PORT
exports.DEFAULT_WORKER_PORT = DEFAULT_WORKER_PORT
