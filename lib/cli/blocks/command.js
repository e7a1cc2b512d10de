'use strict'

const { Argument, Option } = require('commander')
const { causes } = require('../../tables/causes')
const { DEFAULT_TARGET } = require('../common/flags')
const { since } = require('./filter')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch blocks --top --since 10m
  $ loopwatch blocks shop.internal:9464 --top --format md
  $ loopwatch blocks /var/log/shop --cause sync-io --json
`

/** @param {Command} program */
exports.addBlocks = (program) => {
  program.command('blocks')
    .description('list the blocks of running agents, of folders that agents write (option dir), and of single files, in one list')
    .addArgument(new Argument('[sources...]', 'host:port, a URL, a folder, a file in such a folder, or a recording').default([DEFAULT_TARGET], `"${DEFAULT_TARGET}"`))
    .optionsGroup('Which blocks:')
    .option('--since <time>', 'only blocks that ended within this time (90s, 10m, 2h, 7d) or after it (2026-11-22T10:00:00Z)', since)
    .addOption(new Option('--cause <cause>', 'only blocks with this cause').choices(Object.keys(causes)))
    .option('--route <text>', 'only blocks whose request has this in its method and route, for example "GET /orders"')
    .option('--work <text>', 'only blocks whose work has this in its kind and name, for example "job email"')
    .optionsGroup('How they are shown:')
    .addOption(new Option('--top', 'a table of the functions that blocked, longest in total first').conflicts(['json', 'watch']))
    .addOption(new Option('--json', 'whole records, one JSON line each').conflicts('format'))
    .addOption(new Option('--format <format>', 'text, or Markdown for a ticket').choices(['text', 'md']).default('text'))
    .option('--watch', 'keep running until Ctrl-C, and print each block as it ends')
    .optionsGroup('Access:')
    .addOption(new Option('--token <token>', 'bearer token of the endpoints').env('LOOPWATCH_TOKEN'))
    .addHelpText('after', EXAMPLES)
    .action((sources, flags) => require('./blocks').listBlocks(sources, flags))
}
