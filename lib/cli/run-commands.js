'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Option } = require('commander')
const { codedError } = require('../tables/errors')
const { DEADLINE, examples, limit, number } = require('./common/flags')

// Flags and help of the commands that run something, but `run`, whose flags are the options of the agent. Each loads
// its code on use.

/** @import { Command } from 'commander' */

/** Demo and scenarios are separate programs, loaded by their path: their types are not the agent's. */
const SCENARIOS = path.join(__dirname, '..', '..', 'scenarios')
const HARNESS = path.join(SCENARIOS, 'harness', 'cli.js')
const DEMO = path.join(SCENARIOS, 'demo', 'start.js')

const LACKS = `
The installed package lacks:
  scenarios    they are in a checkout: npm ci && npx loopwatch scenario
  packages     cli-table3, hdr-histogram-js and others: npm ci installs them
  toolchains   cargo (https://rustup.rs) for hook-calls, Go (https://go.dev/dl)
               for goroutines, k6 (https://k6.io) for cluster-http --driver k6
`

/** Fails if the application's code blocks. @param {Command} program */
const addTest = (program) => program.command('test')
  .description('run a test command, and fail it if the code blocks the event loop')
  .argument('[command...]', 'after --: node --test, npx jest, npm test…')
  .optionsGroup('What fails:')
  .addOption(new Option('--over <time>',
    "the limit: CPU time of the application's own code in one block (50ms, 0.1s)").argParser(limit)
    .default(50, '50ms'))
  .option('--all', 'count startup, runners, loaders, transformers and compilers too')
  .option('--repeat-to-be-sure', 'run again the tests that blocked, before failing them')
  .option('--sync', 'also fail on synchronous I/O and crypto calls, however short: fs.readFileSync, execSync, …')
  .optionsGroup('Known blocks:')
  .option('--ratchet <file>', 'file with the known and allowed blocks', 'loopwatch.json')
  .option('--update', 'write the blocks into that file, and do not fail')
  .optionsGroup('For machines:')
  .option('--junit <file>', 'JUnit XML')
  .option('--sarif <file>', 'SARIF 2.1.0, for code scanning')
  .option('--json <file>', 'full report as JSON')
  .addHelpText('after', `${examples('test -- node --test', 'test --over 100ms --junit blocks.xml -- npx jest')}
Exits with the command's own exit code. If that is 0: 1 if a block exceeded the limit, 3 if nothing was
watched. 2 is wrong usage.
`)
  .action((command, flags) => require('./test/test').test(command, flags))

/** @param {Command} program */
const addProfile = (program) => program.command('profile')
  .description('profile an application with clinic, 0x or the profiler of Node.js')
  .argument('<tool>', 'doctor, flame, bubbleprof, heapprofiler (clinic), 0x, or cpu, which needs nothing installed')
  .argument('[command...]', 'after --: node app.js')
  .option('--output <folder>', 'folder; each run gets its own folder in it', 'loopwatch-profiles')
  .option('--on-port [load]', 'once the application listens: load on /, or on a /path, or from a shell command that ' +
    'reads $PORT; then end it')
  .option('--seconds <seconds>', 'end it after this long (default: on Ctrl-C, or when it ends; 10 with ' +
    'load)', number('--seconds', 1, 86400))
  .option(...DEADLINE)
  .option('--no-open', 'print the path of the report, and do not open it')
  .addHelpText('after', examples(
    'profile cpu --on-port -- node server.js',
    'profile flame --on-port /orders --seconds 20 -- node server.js'
  ))
  .action((tool, command, flags) => require('./profile/profile').profile(tool, command, flags))

/** @param {Command} program */
const addDiagnose = (program) => program.command('diagnose')
  .description('run an application under load, and report what blocks it and what to do')
  .argument('[command...]', 'after --: node app.js')
  .option('--output <folder>', 'folder; each run gets its own folder in it', 'loopwatch-profiles')
  .addOption(new Option('--on-port [load]', 'load on a /path, or from a shell command that reads $PORT')
    .default(true, '/'))
  .option('--no-on-port', 'no load: you provide it, or the application has its own work')
  .option('--seconds <seconds>', 'length of each run', number('--seconds', 1, 86400), 10)
  .option(...DEADLINE)
  .addOption(new Option('--tool <tool>',
    "then run it again under this tool of 'loopwatch " +
      "profile'").choices(['cpu', 'flame', 'bubbleprof', 'heapprofiler', 'doctor', '0x']))
  .option('--no-open', 'print only, open nothing')
  .addHelpText('after', examples(
    'diagnose -- node server.js',
    "diagnose --on-port 'npx autocannon -d 20 localhost:$PORT/orders' -- node server.js"
  ))
  .action((command, flags) => require('./diagnose/diagnose').diagnose(command, flags))

/** A shop that blocks in seven ways, under the agent and a gentle load. @param {Command} program */
const addDemo = (program) => program.command('demo')
  .description('start a small shop that blocks its event loop, and show what loopwatch finds')
  .argument('[arguments...]', 'loopwatch demo --help lists them')
  .allowUnknownOption()
  .helpOption(false)
  .action((_, __, command) => require(DEMO).main(command.args))

/** The scenarios' program parses its own flags. @param {Command} program */
const addScenario = (program) => program.command('scenario')
  .description('run the benchmarks, in a checkout of the repository')
  .argument('[arguments...]', 'a name and its flags; --help lists them in a checkout')
  .allowUnknownOption()
  .helpOption(false)
  .addHelpText('after', LACKS)
  .action((_, __, command) => {
    if (fs.existsSync(HARNESS)) return require(HARNESS).main(command.args)
    if (['--help', '-h'].some((flag) => command.args.includes(flag))) return command.outputHelp()
    throw codedError('LOOPWATCH_ERR_SCENARIOS',
      /** @type {{ homepage?: string }} */ (require('../../package.json')).homepage)
  })

exports.LACKS = LACKS
exports.addTest = addTest
exports.addProfile = addProfile
exports.addDiagnose = addDiagnose
exports.addDemo = addDemo
exports.addScenario = addScenario
