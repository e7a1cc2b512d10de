'use strict'

const path = require('node:path')

/** By its path: the scenarios are a program of their own beside the agent, and declare no types in it. */
const HARNESS = path.join(__dirname, '..', '..', 'scenarios', 'harness', 'cli.js')

/**
 * `loopwatch scenario [name…]`: benchmarks. Scenarios bring flags of their own, so the arguments are
 * read where they are known.
 * @param {import('commander').Command} program
 */
exports.addScenario = (program) => {
  program.command('scenario')
    .description('measure: messaging, offload and others, listed when called without a name')
    .argument('[arguments...]', 'loopwatch scenario --help lists them')
    .allowUnknownOption()
    .helpOption(false)
    // Loaded then: the application of `loopwatch run` shares this process.
    .action((_, __, command) => require(HARNESS).main(command.args))
}
