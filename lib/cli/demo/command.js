'use strict'

const path = require('node:path')

/** By its path: the demo is a program of its own beside the agent, and declares no types in it. */
const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/**
 * `loopwatch demo`: the shop that blocks in seven ways, under the agent and a gentle load.
 * @param {import('commander').Command} program
 */
exports.addDemo = (program) => {
  program.command('demo')
    .description('start a small shop that blocks its event loop, watched: what loopwatch finds, in a minute')
    .argument('[arguments...]', 'loopwatch demo --help lists them')
    .allowUnknownOption()
    .helpOption(false)
    // Loaded then: the application of `loopwatch run` shares this process.
    .action((_, __, command) => require(START).main(command.args))
}
