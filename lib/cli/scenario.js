'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../tables/errors')

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
    .action((_, __, command) => {
      if (!fs.existsSync(HARNESS)) throw codedError('LOOPWATCH_ERR_SCENARIOS', /** @type {{ homepage?: string }} */ (require('../../package.json')).homepage)
      return require(HARNESS).main(command.args)
    })
}
