'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Argument, Option } = require('commander')
const { causes } = require('../tables/causes')
const { codedError } = require('../tables/errors')
const { DEADLINE, DEFAULT_TARGET, limit, number, since, target } = require('./common/flags')
const { endWithReader } = require('./common/output')

// What each command accepts, except `run`, whose flags are the options of the agent. Each loads its code on use.

/** @import { Command } from 'commander' */

/** By path: demo and scenarios are separate programs, and their types are not the agent's. */
const SCENARIOS = path.join(__dirname, '..', '..', 'scenarios')
const HARNESS = path.join(SCENARIOS, 'harness', 'cli.js')
const DEMO = path.join(SCENARIOS, 'demo', 'start.js')

const DEFAULT_THRESHOLD_MS = 50
const DIAGNOSE_SECONDS = 10
/** Soon enough for a person, at the cost of one scrape. */
const SCRAPE_INTERVAL_S = 5

const LACKS = `
The installed package lacks:
  scenarios    they are in a checkout: npm ci && npx loopwatch scenario
  packages     cli-table3, hdr-histogram-js and others: npm ci installs them
  toolchains   cargo (https://rustup.rs) for hook-calls, Go (https://go.dev/dl)
               for goroutines, k6 (https://k6.io) for cluster-http --driver k6
`

/** @param {string[]} lines */
const examples = (...lines) => `\nExamples:\n${lines.map((line) => `  $ loopwatch ${line}\n`).join('')}`

/** @param {string} of */
const token = (of) => new Option('--token <token>', `bearer token of ${of}`).env('LOOPWATCH_TOKEN')

/** @type {[string, string, (text: string) => number]} */
const SECONDS = ['--seconds <seconds>', 'stop after this long (default: until Ctrl-C)', number('--seconds', 1, 86400)]

/** Fails if the application's code blocks. @param {Command} program */
const addTest = (program) => program.command('test')
  .description('run a test command, and fail it if the code blocks the event loop')
  .argument('[command...]', 'after --: node --test, npx jest, npm test…')
  .optionsGroup('What fails:')
  .addOption(new Option('--over <time>', 'the limit: CPU time of the application\'s own code in one block (50ms, 0.1s)').argParser(limit).default(50, '50ms'))
  .option('--all', 'count start-up, runners, loaders, transformers and compilers too')
  .option('--repeat-to-be-sure', 'run tests that blocked once more before failing them')
  .option('--sync', 'also fail on synchronous I/O and crypto calls, however short: fs.readFileSync, execSync, gzipSync…')
  .optionsGroup('Known blocks:')
  .option('--ratchet <file>', 'file with the known and allowed blocks', 'loopwatch.json')
  .option('--update', 'write the blocks into that file, and do not fail')
  .optionsGroup('For machines:')
  .option('--junit <file>', 'JUnit XML')
  .option('--sarif <file>', 'SARIF 2.1.0, for code scanning')
  .option('--json <file>', 'everything known, as JSON')
  .addHelpText('after', `${examples('test -- node --test', 'test --over 100ms --junit blocks.xml -- npx jest')}
Exits with the command's own exit code. If that is 0: 1 if a block exceeded the limit, 3 if nothing was
watched. 2 is wrong usage.
`)
  .action((command, flags) => require('./test/test').test(command, flags))

/** @param {Command} program */
const addBlocks = (program) => program.command('blocks')
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
  .addOption(token('the endpoints'))
  .addHelpText('after', examples(
    'blocks --top --since 10m',
    'blocks shop.internal:9464 --top --format md',
    'blocks /var/log/shop --cause sync-io --json'
  ))
  .action((sources, flags) => require('./blocks/blocks').listBlocks(sources, flags))

/** A server of the Model Context Protocol on stdin and stdout. @param {Command} program */
const addMcp = (program) => program.command('mcp')
  .description('answer an assistant (Model Context Protocol on stdio, read-only) about the blocks of an agent, a folder or a file')
  .argument('[source]', 'host:port, a URL, a folder, an .ndjson file, or a recording', DEFAULT_TARGET)
  .addOption(token('the endpoint'))
  .addHelpText('after', examples('mcp 127.0.0.1:9464', 'mcp /var/log/shop'))
  .action((source, flags) => require('./mcp/serve').serve(source, flags))

/** @param {Command} program */
const addDoctor = (program) => program.command('doctor')
  .description('report whether an application is watched, what does not work and why, and which limits apply')
  .argument('[target]', 'host:port, a URL, or a process id on this machine (Linux)', DEFAULT_TARGET)
  .addOption(token('the endpoint'))
  .addHelpText('after', `${examples('doctor', 'doctor shop.internal:9464 --token "$TOKEN"')}
Exits with 1 if no agent is found, or if a part of it does not work.
`)
  .action((target, flags) => require('./doctor/doctor').examine(target, flags))

/** @param {Command} program */
const addRecord = (program) => program.command('record')
  .description('write everything an agent knows into one file: blocks, profile, timeline, settings, metrics, findings')
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
  .description('open the live page on a recording, without the process, until Ctrl-C')
  .argument('<file>', "a recording (from 'loopwatch record' or the live page)")
  .option('--port <port>', 'port of the page, 0 = any free one', number('--port', 0, 65535), 0)
  .option('--no-open', 'do not open a browser')
  .addHelpText('after', examples('view incident.loopwatch', 'view incident.loopwatch --no-open --port 8000'))
  .action((file, flags) => require('./record/record').view(file, flags))

/** @param {Command} program */
const addDocs = (program) => program.command('docs')
  .description('list the documents of the installed version: causes, options, runbook')
  .argument('[name]', 'print this one, for example causes/native')
  .addHelpText('after', examples('docs', 'docs causes/native'))
  .action((name) => require('./docs').showDocs(name))

/** @param {Command} program */
const addAttach = (program) => program.command('attach')
  .description('watch a running Node.js process that was started without loopwatch, without restarting it')
  .argument('<pid>')
  .option('--once', 'print the current stack and exit')
  .option('--outside', 'load nothing into it: sample it through its inspector, which stays open meanwhile')
  .option('--threshold <ms>', 'report blocks of at least this length', number('--threshold', 2, 60000), DEFAULT_THRESHOLD_MS)
  .option(...SECONDS)
  .addOption(token('the endpoint, if the process already has an agent'))
  .addHelpText('after', examples('attach 4711 --once', 'attach 4711 --threshold 200 --seconds 60'))
  .action((pid, flags) => require('./attach/attach').attach(pid, flags))

/** @param {Command} program */
const addProfile = (program) => program.command('profile')
  .description('profile an application with clinic, 0x or the profiler of Node.js, and open the report')
  .argument('<tool>', 'doctor, flame, bubbleprof, heapprofiler (clinic), 0x, or cpu, which needs nothing installed')
  .argument('[command...]', 'after --: node app.js')
  .option('--output <folder>', 'folder in which each run gets a folder of its own', 'loopwatch-profiles')
  .option('--on-port [load]', 'once the application listens: load on /, or on a /path, or from a shell command that reads $PORT; then end it')
  .option('--seconds <seconds>', 'end it after this long (default: on Ctrl-C, or when it ends; 10 with load)', number('--seconds', 1, 86400))
  .option(...DEADLINE)
  .option('--no-open', 'print the path of the report, and do not open it')
  .addHelpText('after', examples(
    'profile cpu --on-port -- node server.js',
    'profile flame --on-port /orders --seconds 20 -- node server.js'
  ))
  .action((tool, command, flags) => require('./profile/profile').profile(tool, command, flags))

/** @param {Command} program */
const addDiagnose = (program) => program.command('diagnose')
  .description('run an application under the agent and load, report what blocks it and what to do, and open the page on the recording')
  .argument('[command...]', 'after --: node app.js')
  .option('--output <folder>', 'folder in which each run gets a folder of its own', 'loopwatch-profiles')
  .option('--on-port [load]', 'load on /, or on a /path, or from a shell command that reads $PORT', true)
  .option('--no-on-port', 'no load: it comes from elsewhere, or the application has work of its own')
  .option('--seconds <seconds>', 'length of each run', number('--seconds', 1, 86400), DIAGNOSE_SECONDS)
  .option(...DEADLINE)
  .addOption(new Option('--tool <tool>', "then run it again under this tool of 'loopwatch profile'").choices(['cpu', 'flame', 'bubbleprof', 'heapprofiler', 'doctor', '0x']))
  .option('--no-open', 'print only, open nothing')
  .addHelpText('after', examples(
    'diagnose -- node server.js',
    "diagnose --on-port 'npx autocannon -d 20 localhost:$PORT/orders' -- node server.js"
  ))
  .action((command, flags) => require('./diagnose/diagnose').diagnose(command, flags))

/** @param {Command} program */
const addStack = (program) => program.command('stack')
  .description('start the locally installed Prometheus and Grafana, scraping watched processes, until Ctrl-C')
  .option('--target <host:port>', `endpoint of a watched process, may be repeated (default ${DEFAULT_TARGET}, or the demo)`, target)
  .option('--demo', 'start the demo, a shop and a queue worker, and watch both')
  .option('--port <port>', 'port of Prometheus, 0 = any free one (default 9090, or a free one if that is taken)', number('--port', 0, 65535))
  .option('--grafana-port <port>', 'port of Grafana (default 3000, or a free one if that is taken)', number('--grafana-port', 0, 65535))
  .option('--interval <seconds>', 'time between scrapes, and between evaluations of the rules', number('--interval', 1, 60), SCRAPE_INTERVAL_S)
  .option('--dashboards <folder>', 'only write the dashboards into this folder, for import, and exit')
  .option('--seconds <seconds>', 'exit after this long', number('--seconds', 1, 86400))
  .addHelpText('after', examples('stack --target 127.0.0.1:9464', 'stack --demo', 'stack --dashboards ./dashboards'))
  .action((flags) => {
    if (flags.dashboards === undefined) return require('./stack/stack').stack(flags)
    endWithReader()
    process.stdout.write(`${require('./stack/stack').writeDashboards(flags.dashboards).join('\n')}\n`)
  })

/** A shop that blocks in seven ways, under the agent and a gentle load. @param {Command} program */
const addDemo = (program) => program.command('demo')
  .description('start a small shop that blocks its event loop, and show what loopwatch finds')
  .argument('[arguments...]', 'loopwatch demo --help lists them')
  .allowUnknownOption()
  .helpOption(false)
  .action((_, __, command) => require(DEMO).main(command.args))

/** The scenarios' program parses its own flags. @param {Command} program */
const addScenario = (program) => program.command('scenario')
  .description('run the benchmarks (messaging, offload and others) in a checkout of the repository')
  .argument('[arguments...]', 'a name and its flags; --help lists them in a checkout')
  .allowUnknownOption()
  .helpOption(false)
  .addHelpText('after', LACKS)
  .action((_, __, command) => {
    if (fs.existsSync(HARNESS)) return require(HARNESS).main(command.args)
    if (['--help', '-h'].some((flag) => command.args.includes(flag))) return command.outputHelp()
    throw codedError('LOOPWATCH_ERR_SCENARIOS', /** @type {{ homepage?: string }} */ (require('../../package.json')).homepage)
  })

/** In the order of the help. */
exports.commands = [
  addTest, addBlocks, addMcp, addDoctor, addRecord, addView, addDocs, addAttach, addProfile, addDiagnose, addStack,
  addDemo, addScenario
]

exports.LACKS = LACKS
exports.addBlocks = addBlocks
