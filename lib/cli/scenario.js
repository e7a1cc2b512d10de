'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../tables/errors')

/** Loaded by its path: the scenarios are a separate program, and their types are not part of the agent's. */
const HARNESS = path.join(__dirname, '..', '..', 'scenarios', 'harness', 'cli.js')

/** Scenarios have flags of their own, which their program parses. @param {import('commander').Command} program */
exports.addScenario = (program) => {
  program.command('scenario')
    .description('measure: messaging, offload and others, listed when called without a name')
    .argument('[arguments...]', 'loopwatch scenario --help lists them')
    .allowUnknownOption()
    .helpOption(false)
    // Loaded on use: with `loopwatch run`, the application shares this process.
    .action((_, __, command) => {
      if (!fs.existsSync(HARNESS)) throw codedError('LOOPWATCH_ERR_SCENARIOS', /** @type {{ homepage?: string }} */ (require('../../package.json')).homepage)
      return require(HARNESS).main(command.args)
    })
}
