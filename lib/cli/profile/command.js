'use strict'

const { DEADLINE, number } = require('../common/flags')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch profile cpu --on-port -- node server.js
  $ loopwatch profile flame --on-port /orders --seconds 20 -- node server.js
`

/** @param {Command} program */
exports.addProfile = (program) => {
  program.command('profile')
    .description('profile an application with clinic, 0x or the profiler of Node.js, and open the report')
    .argument('<tool>', 'doctor, flame, bubbleprof, heapprofiler (clinic), 0x, or cpu, which needs nothing installed')
    .argument('[command...]', 'after --: node app.js')
    .option('--output <folder>', 'folder in which each run gets a folder of its own', 'loopwatch-profiles')
    .option('--on-port [load]', 'once the application listens: load on /, or on a /path, or from a shell command that reads $PORT; then end it')
    .option('--seconds <seconds>', 'end it after this long (default: on Ctrl-C, or when it ends; 10 with load)', number('--seconds', 1, 86400))
    .option(...DEADLINE)
    .option('--no-open', 'print the path of the report, and do not open it')
    .addHelpText('after', EXAMPLES)
    .action((tool, command, flags) => require('./profile').profile(tool, command, flags))
}
