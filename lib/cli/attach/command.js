'use strict'

const { Option } = require('commander')
const { number } = require('../common/flags')

/** @import { Command } from 'commander' */

const DEFAULT_THRESHOLD_MS = 50

const EXAMPLES = `
Examples:
  $ loopwatch attach 4711 --once
  $ loopwatch attach 4711 --threshold 200 --seconds 60
`

/** @param {Command} program */
exports.addAttach = (program) => {
  program.command('attach')
    .description('watch a running Node.js process that was started without loopwatch, without restarting it')
    .argument('<pid>')
    .option('--once', 'print the current stack and exit')
    .option('--outside', 'load nothing into it: sample it through its inspector, which stays open meanwhile')
    .option('--threshold <ms>', 'report blocks of at least this length', number('--threshold', 2, 60000), DEFAULT_THRESHOLD_MS)
    .option('--seconds <seconds>', 'stop after this long (default: until Ctrl-C)', number('--seconds', 1, 86400))
    .addOption(new Option('--token <token>', 'bearer token of the endpoint, if the process already has an agent').env('LOOPWATCH_TOKEN'))
    .addHelpText('after', EXAMPLES)
    .action((pid, flags) => require('./attach').attach(pid, flags))
}
