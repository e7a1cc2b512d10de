'use strict'

const { Argument, Option } = require('commander')
const { causes } = require('../tables/causes')
const { DEFAULT_TARGET, examples, number, since, token } = require('./common/flags')

// Flags and help of the commands that look at a process, or at what one has written. Each loads its code on use.

/** @import { Command } from 'commander' */

/** @param {Command} program */
const addBlocks = (program) => program.command('blocks')
  .description('list the blocks of running agents, folders (option dir) and files')
  .addArgument(new Argument('[sources...]',
    'host:port, a URL, a folder, a file in such a folder, or a recording').default([DEFAULT_TARGET],
    `"${DEFAULT_TARGET}"`))
  .optionsGroup('Which blocks:')
  .option('--since <time>', 'only blocks that ended within this time (90s, 10m, 2h, 7d) or after it ' +
    '(2026-11-22T10:00:00Z)', since)
  .addOption(new Option('--cause <cause>', 'only blocks with this cause').choices(Object.keys(causes)))
  .option('--route <text>', 'only blocks whose request contains this text, such as "GET /orders"')
  .option('--work <text>', 'only blocks whose work contains this text, such as "job email"')
  .option('--new', 'only blocks of functions that are new since a version of the application (option dir)')
  .optionsGroup('How they are shown:')
  .addOption(new Option('--top',
    'a table of the functions that blocked, longest in total first').conflicts(['json', 'watch']))
  .addOption(new Option('--json', 'whole records, one JSON line each').conflicts('format'))
  .addOption(new Option('--format <format>', 'text, or Markdown for a ticket').choices(['text', 'md']).default('text'))
  .option('--watch', 'keep running until Ctrl-C, and print each block as it ends')
  .optionsGroup('Access:')
  .addOption(token('the endpoints'))
  .addHelpText('after', examples(
    'blocks --top --since 10m',
    'blocks shop.internal:9464 --top --format md',
    'blocks /var/log/shop --cause sync-io --json'
  ))
  .action((sources, flags) => require('./blocks/blocks').listBlocks(sources, flags))

/** A server of the Model Context Protocol on stdin and stdout. @param {Command} program */
const addMcp = (program) => program.command('mcp')
  .description('let an assistant read the blocks of an agent, a folder or a file (MCP on stdio)')
  .argument('[source]', 'host:port, a URL, a folder, an .ndjson file, or a recording', DEFAULT_TARGET)
  .addOption(token('the endpoint'))
  .addHelpText('after', `${examples('mcp 127.0.0.1:9464', 'mcp /var/log/shop')}
Needs the package @modelcontextprotocol/server: npm install @modelcontextprotocol/server
`)
  .action((source, flags) => require('./mcp/serve').serve(source, flags))

/** @param {Command} program */
const addDoctor = (program) => program.command('doctor')
  .description('report whether an application is watched, what does not work, and which limits apply')
  .argument('[target]', 'host:port, a URL, or a process id on this machine (Linux)', DEFAULT_TARGET)
  .addOption(token('the endpoint'))
  .addHelpText('after', `${examples('doctor', 'doctor shop.internal:9464 --token "$TOKEN"')}
Exits with 1 if no agent is found, or if a part of it does not work.
`)
  .action((target, flags) => require('./doctor/doctor').examine(target, flags))

/** @param {Command} program */
const addRecord = (program) => program.command('record')
  .description('write everything an agent knows into one file')
  .argument('<target>', 'host:port or a URL')
  .argument('<file>', 'file to write, for a ticket')
  .addOption(token('the endpoint'))
  .addHelpText('after', examples(
    'record 127.0.0.1:9464 incident.loopwatch',
    'record https://shop.internal/loop incident.loopwatch --token "$TOKEN"'
  ))
  .action((target, file, flags) => require('./record/record').record(target, file, flags))

/** @param {Command} program */
const addView = (program) => program.command('view')
  .description('open the live page on a recording, until Ctrl-C')
  .argument('<file>', "a recording (from 'loopwatch record' or the live page)")
  .option('--port <port>', 'port of the page, 0 = any free one', number('--port', 0, 65535), 0)
  .option('--no-open', 'do not open a browser')
  .addHelpText('after', examples('view incident.loopwatch', 'view incident.loopwatch --no-open --port 8000'))
  .action((file, flags) => require('./record/record').view(file, flags))

/** @param {Command} program */
const addDocs = (program) => program.command('docs')
  .description('list or print the installed documents: slow-now, causes, errors, options, runbook')
  .argument('[name]', 'print this one, for example causes/native')
  .addHelpText('after', examples('docs', 'docs causes/native'))
  .action((name) => require('./docs').showDocs(name))

/** @param {Command} program */
const addAttach = (program) => program.command('attach')
  .description('watch a running process that was started without loopwatch')
  .argument('<pid>')
  .option('--once', 'print what the kernel says of the process, and its current stack or what it waits for, and exit')
  .option('--outside', 'load nothing into the process: sample it through its inspector, which stays open meanwhile')
  .option('--threshold <ms>', 'report blocks of at least this length', number('--threshold', 2, 60000), 50)
  .option('--seconds <seconds>', 'stop after this long (default: until Ctrl-C)', number('--seconds', 1, 86400))
  .addOption(token('the endpoint, if the process already has an agent'))
  .addHelpText('after', `${examples('attach 4711 --once', 'attach 4711 --threshold 200 --seconds 60')}
This opens the inspector of the process. Until it is closed again, any user of this machine can run
code in that process.
`)
  .action((pid, flags) => require('./attach/attach').attach(pid, flags))

exports.addBlocks = addBlocks
exports.addMcp = addMcp
exports.addDoctor = addDoctor
exports.addRecord = addRecord
exports.addView = addView
exports.addDocs = addDocs
exports.addAttach = addAttach
