'use strict'

const { Command, InvalidArgumentError, Option } = require('commander')

const LONGEST_SECONDS = 86400
const LAST_PORT = 65535
const DEFAULT_PORT = 9464
const DEFAULT_WORKER_PORT = 9465
const DEFAULT_EVERY_SECONDS = 1.5

/** @param {string} text */
function seconds (text) {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0 && value <= LONGEST_SECONDS)) throw new InvalidArgumentError(`It takes seconds, above 0 and up to ${LONGEST_SECONDS}.`)
  return value
}

/** @param {string} text */
function port (text) {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > LAST_PORT) throw new InvalidArgumentError(`It takes a port, 0 to ${LAST_PORT}; 0 = any free one.`)
  return value
}

/**
 * @param {string[]} args
 * @param {string} command as it was typed
 * @returns {{ seconds?: number, every: number, port?: number, workerPort?: number, appPort: number }}
 */
exports.readFlags = (args, command) => new Command(command)
  .description('A small shop whose endpoints block the event loop in seven ways, and a queue worker, watched by loopwatch.')
  .option('--seconds <n>', 'end after this long; without it Ctrl-C ends', seconds)
  .option('--every <n>', 'seconds between two requests that block', seconds, DEFAULT_EVERY_SECONDS)
  .addOption(new Option('--port <port>', `port of the agent's endpoint, 0 = any free one (default: ${DEFAULT_PORT}, or a free one where that is taken)`)
    .env('LOOPWATCH_PORT').argParser(port))
  .option('--worker-port <port>', `the same of the worker's agent (default: ${DEFAULT_WORKER_PORT}, or a free one where that is taken)`, port)
  .option('--app-port <port>', 'port of the shop', port, 0)
  .addHelpText('after', `\nExamples:\n  $ ${command} --seconds 20\n  $ ${command} --every 5 --port 0\n`)
  .allowExcessArguments(false)
  .showHelpAfterError(`(${command} --help lists the flags)`)
  .parse(args, { from: 'user' })
  .opts()

exports.DEFAULT_PORT = DEFAULT_PORT
exports.DEFAULT_WORKER_PORT = DEFAULT_WORKER_PORT
