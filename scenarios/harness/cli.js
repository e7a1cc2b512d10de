'use strict'

const { Option } = require('commander')
const { makeProgram } = require('../../lib/cli/common/failure')
const { number } = require('../../lib/cli/common/flags')
const { LACKS } = require('../../lib/cli/run-commands')
const { codedError } = require('../../lib/tables/errors')
const { installMissing, missingPackages, withRanges } = require('./packages')
const { findScenarios, pick } = require('./registry')

/** Packages of the harness itself. Scenarios list their own. */
const PACKAGES = ['cli-progress', 'cli-table3', 'd3-scale', 'hdr-histogram-js']
const DEFAULT_PORT = 9465
const DAY_S = 86400
const EXAMPLES = `
Examples:
  $ loopwatch scenario offload --quick
  $ loopwatch scenario messaging --only fork-json,fork-v8 --json messaging.json --report messaging.html
`

/** @typedef {import('./interface').Scenario} Scenario */
/** @typedef {import('./interface').ModeName} ModeName */
/**
 * @typedef {{ quick?: boolean, full?: boolean, faithful?: boolean, json?: string, report?: string, repeats?: number,
 * seconds?: number, format?: 'text' | 'md', only?: string[], list?: boolean, port: number }} Flags
 */

/** @param {string} text @param {string[]} [before] */
function addNames (text, before = []) {
  const names = text.split(',').filter(Boolean)
  // An empty variable of a shell: no names mean all, hours of them.
  if (names.length === 0) throw codedError('LOOPWATCH_ERR_OPTION', '--only', 'the name of a variant', text)
  return [...before, ...names]
}

/** @param {Scenario[]} scenarios */
function programOf (scenarios) {
  const program = makeProgram('loopwatch scenario', 'options')
    .description('Runs benchmarks of concurrency in Node.js. Without a name, lists them.')
    .argument('[names...]', 'scenarios to run, one after the other')
    .addOption(new Option('--quick', 'smoke run of seconds to a few minutes; do not quote its figures').conflicts(['full', 'faithful']))
    .addOption(new Option('--full', 'every variant with every parameter').conflicts(['faithful']))
    .option('--faithful', 'the original experiment with its own parameters, its table next to ours; 2 to 25 minutes per scenario')
    .option('--json <file>', 'write the results as JSON (scenarios/harness/schema.json)')
    .addOption(new Option('--format <format>', 'output format: text, or Markdown for a ticket').choices(['text', 'md']).default('text'))
    .option('--report <file>', 'write one HTML file with charts')
    .option('--repeats <n>', 'runs of each cell, each in a fresh process', number('--repeats', 1, 1000))
    .option('--seconds <n>', 'measuring time of each cell', number('--seconds', 1, DAY_S))
    .option('--only <variant>', 'run this variant only; repeat it, or separate several by commas', addNames)
    .option('--list', 'list variants and cells instead of running them')
    .option('--port <port>', 'port of /metrics while it runs, 0 = any free one', number('--port', 0, 65535), DEFAULT_PORT)
    .addHelpText('after', EXAMPLES + LACKS)
  for (const { name, options = [] } of scenarios) {
    for (const { flags, description, parse } of options) {
      const option = new Option(flags, description).helpGroup(`Options of ${name}:`)
      program.addOption(parse === undefined ? option : option.argParser(parse))
    }
  }
  return program
}

/** @param {Flags} flags @returns {ModeName} */
function modeOf ({ quick, full, faithful }) {
  if (quick) return 'quick'
  if (full) return 'full'
  return faithful ? 'faithful' : 'default'
}

/** @param {Scenario[]} scenarios */
function listScenarios (scenarios) {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  for (const { name, title } of scenarios) process.stdout.write(`${name.padEnd(width)}  ${title}\n`)
}

/**
 * A reader such as `| head` may close the pipe; the files of a run are still written.
 * @param {NodeJS.ErrnoException} error
 */
function ignoreClosedPipe (error) {
  if (error.code !== 'EPIPE') throw error
}

/**
 * `loopwatch scenario` with what follows it on the command line.
 * @param {string[]} args
 */
exports.main = async (args) => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  const scenarios = findScenarios()
  const program = programOf(scenarios)
  program.parse(args, { from: 'user' })
  const {
    quick,
    full,
    faithful,
    json,
    report,
    format,
    repeats,
    seconds,
    only = [],
    list,
    port,
    ...options
  } = /** @type {Flags & Record<string, any>} */ (program.opts())
  const picked = pick(scenarios, program.args)
  if (picked.length === 0) {
    if (only.length > 0) throw codedError('LOOPWATCH_ERR_OPTION', '--only', 'the name of a scenario before it', only.join(','))
    return listScenarios(scenarios)
  }
  const packages = [...PACKAGES, ...picked.flatMap(({ packages = [] }) => packages)]
  installMissing([...packages, ...picked.flatMap(({ optionalPackages = [] }) => optionalPackages)], (line) => process.stderr.write(`${line}\n`))
  const missing = missingPackages(packages)
  if (missing.length > 0) throw codedError('LOOPWATCH_ERR_PACKAGES', withRanges(missing))
  const settings = { mode: modeOf({ quick, full, faithful, port }), repeats, seconds, only, options }
  // Loaded then: a list must not need what a run needs.
  const session = require('./run/session')
  if (list) return session.list(picked, settings)
  await session.run(picked, settings, { json, report, format, port })
}
