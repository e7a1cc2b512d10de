'use strict'

const { Option } = require('commander')
const { number } = require('../common/flags')

/** @import { Command } from 'commander' */

const RECORD_EXAMPLES = `
Examples:
  $ loopwatch record 127.0.0.1:9464 incident.loopwatch
  $ loopwatch record https://shop.internal/loop incident.loopwatch --token "$TOKEN"
`

const VIEW_EXAMPLES = `
Examples:
  $ loopwatch view incident.loopwatch
  $ loopwatch view incident.loopwatch --no-open --port 8000
`

/** @param {Command} program */
exports.addRecord = (program) => {
  program.command('record')
    .description('write everything an agent knows into one file: blocks, profile, timeline, settings, metrics, findings')
    .argument('<target>', 'host:port or a URL')
    .argument('<file>', 'file to write, for a ticket')
    .addOption(new Option('--token <token>', 'bearer token of the endpoint').env('LOOPWATCH_TOKEN'))
    .addHelpText('after', RECORD_EXAMPLES)
    .action((target, file, flags) => require('./record').record(target, file, flags))
}

/** @param {Command} program */
exports.addView = (program) => {
  program.command('view')
    .description('open the live page on a recording, without the process, until Ctrl-C')
    .argument('<file>', "a recording (from 'loopwatch record' or the live page)")
    .option('--port <port>', 'port of the page, 0 = any free one', number('--port', 0, 65535), 0)
    .option('--no-open', 'do not open a browser')
    .addHelpText('after', VIEW_EXAMPLES)
    .action((file, flags) => require('./view').view(file, flags))
}
