'use strict'

const { Option } = require('commander')
const { DEFAULT_TARGET } = require('../common/flags')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch mcp 127.0.0.1:9464
  $ loopwatch mcp /var/log/shop
`

/** A server of the Model Context Protocol on stdin and stdout. @param {Command} program */
exports.addMcp = (program) => {
  program.command('mcp')
    .description('answer an assistant (Model Context Protocol on stdio, read-only) about the blocks of an agent, a folder or a file')
    .argument('[source]', 'host:port, a URL, a folder, an .ndjson file, or a recording', DEFAULT_TARGET)
    .addOption(new Option('--token <token>', 'bearer token of the endpoint').env('LOOPWATCH_TOKEN'))
    .addHelpText('after', EXAMPLES)
    .action((source, flags) => require('./serve').serve(source, flags))
}
