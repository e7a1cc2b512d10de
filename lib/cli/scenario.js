'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../tables/errors')

/** @import { Command } from 'commander' */

/** By path: the scenarios are a separate program, and their types are not the agent's. */
const HARNESS = path.join(__dirname, '..', '..', 'scenarios', 'harness', 'cli.js')

exports.LACKS = `
The installed package lacks:
  scenarios    they are in a checkout: npm ci && npx loopwatch scenario
  packages     cli-table3, hdr-histogram-js and others: npm ci installs them
  toolchains   cargo (https://rustup.rs) for hook-calls, Go (https://go.dev/dl)
               for goroutines, k6 (https://k6.io) for cluster-http --driver k6
`

/** The scenarios' program parses its own flags. @param {Command} program */
exports.addScenario = (program) => {
  program.command('scenario')
    .description('run the benchmarks (messaging, offload and others) in a checkout of the repository')
    .argument('[arguments...]', 'a name and its flags; --help lists them in a checkout')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', exports.LACKS)
    .action((_, __, command) => {
      if (fs.existsSync(HARNESS)) return require(HARNESS).main(command.args)
      if (['--help', '-h'].some((flag) => command.args.includes(flag))) return command.outputHelp()
      throw codedError('LOOPWATCH_ERR_SCENARIOS', /** @type {{ homepage?: string }} */ (require('../../package.json')).homepage)
    })
}
