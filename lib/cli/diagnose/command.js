'use strict'

const { Option } = require('commander')
const { DEADLINE, number } = require('../common/flags')

/** @import { Command } from 'commander' */

const SECONDS = 10

const EXAMPLES = `
Examples:
  $ loopwatch diagnose -- node server.js
  $ loopwatch diagnose --on-port 'npx autocannon -d 20 localhost:$PORT/orders' -- node server.js
`

/** @param {Command} program */
exports.addDiagnose = (program) => {
  program.command('diagnose')
    .description('run an application under the agent and load, report what blocks it and what to do, and open the page on the recording')
    .argument('[command...]', 'after --: node app.js')
    .option('--output <folder>', 'folder in which each run gets a folder of its own', 'loopwatch-profiles')
    .option('--on-port [load]', 'load on /, or on a /path, or from a shell command that reads $PORT', true)
    .option('--no-on-port', 'no load: it comes from elsewhere, or the application has work of its own')
    .option('--seconds <seconds>', 'length of each run', number('--seconds', 1, 86400), SECONDS)
    .option(...DEADLINE)
    .addOption(new Option('--tool <tool>', "then run it again under this tool of 'loopwatch profile'").choices(['cpu', 'flame', 'bubbleprof', 'heapprofiler', 'doctor', '0x']))
    .option('--no-open', 'print only, open nothing')
    .addHelpText('after', EXAMPLES)
    .action((command, flags) => require('./diagnose').diagnose(command, flags))
}
