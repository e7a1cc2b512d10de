'use strict'

const { Option } = require('commander')
const { codedError } = require('../../tables/errors')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch test -- node --test
  $ loopwatch test --over 100ms --junit blocks.xml -- npx jest

Exits with the command's own exit code. If that is 0: 1 if a block exceeded the limit, 3 if nothing was
watched. 2 is wrong usage.
`

/** On a busy machine the agent may miss shorter blocks. */
const LEAST_MS = 20
const MOST_MS = 60000
/** @type {Record<string, number>} */
const UNIT_MS = { '': 1, ms: 1, s: 1000 }

/** Reads a length of time, in ms. @param {string} text 50ms, 50, 0.1s */
function limit (text) {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|)$/.exec(text) ?? []
  const ms = Number(count) * UNIT_MS[unit]
  if (!(ms >= LEAST_MS && ms <= MOST_MS)) throw codedError('LOOPWATCH_ERR_OPTION', '--over', `a time from ${LEAST_MS}ms to ${MOST_MS / 1000}s`, text)
  return ms
}

/** Fails if the application's code blocks. @param {Command} program */
exports.addTest = (program) => {
  program.command('test')
    .description('run a test command, and fail it if the code blocks the event loop')
    .argument('[command...]', 'after --: node --test, npx jest, npm test…')
    .optionsGroup('What fails:')
    .addOption(new Option('--over <time>', 'the limit: CPU time of the application\'s own code in one block (50ms, 0.1s)').argParser(limit).default(50, '50ms'))
    .option('--all', 'count start-up, runners, loaders, transformers and compilers too')
    .option('--repeat-to-be-sure', 'run tests that blocked once more before failing them')
    .option('--sync', 'also fail on synchronous I/O and crypto calls, however short: fs.readFileSync, execSync, gzipSync…')
    .optionsGroup('Known blocks:')
    .option('--ratchet <file>', 'file with the known and allowed blocks', 'loopwatch.json')
    .option('--update', 'write the blocks into that file, and do not fail')
    .optionsGroup('For machines:')
    .option('--junit <file>', 'JUnit XML')
    .option('--sarif <file>', 'SARIF 2.1.0, for code scanning')
    .option('--json <file>', 'everything known, as JSON')
    .addHelpText('after', EXAMPLES)
    .action((command, flags) => require('./test').test(command, flags))
}

exports.limit = limit
