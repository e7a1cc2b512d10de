'use strict'

const { Option } = require('commander')
const { DEFAULT_TARGET } = require('../common/flags')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch doctor
  $ loopwatch doctor shop.internal:9464 --token "$TOKEN"

Exits with 1 if no agent is found, or if a part of it does not work.
`

/** @param {Command} program */
exports.addDoctor = (program) => {
  program.command('doctor')
    .description('report whether an application is watched, what does not work and why, and which limits apply')
    .argument('[target]', 'host:port, a URL, or a process id on this machine (Linux)', DEFAULT_TARGET)
    .addOption(new Option('--token <token>', 'bearer token of the endpoint').env('LOOPWATCH_TOKEN'))
    .addHelpText('after', EXAMPLES)
    .action((target, flags) => require('./doctor').examine(target, flags))
}
