'use strict'

const path = require('node:path')

/** @import { Command } from 'commander' */

/** By path: the demo is a separate program, and its types are not the agent's. */
const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/** A shop that blocks in seven ways, under the agent and a gentle load. @param {Command} program */
exports.addDemo = (program) => {
  program.command('demo')
    .description('start a small shop that blocks its event loop, and show what loopwatch finds')
    .argument('[arguments...]', 'loopwatch demo --help lists them')
    .allowUnknownOption()
    .helpOption(false)
    .action((_, __, command) => require(START).main(command.args))
}
