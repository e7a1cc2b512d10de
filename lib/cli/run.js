'use strict'

const Module = require('node:module')
const path = require('node:path')
const { Option } = require('commander')
const { table, parseText, preloadDefaults } = require('../options/table')
const { startPreloaded } = require('../host/start')
const { entryPoint } = require('../tables/entry-points')
const { codedError } = require('../tables/errors')
const { makeOutputFolder } = require('./common/output')
const { checkEndpoint } = require('./common/ports')

/** @import { Command } from 'commander' */

const EXAMPLES = `
Examples:
  $ loopwatch run server.js
  $ loopwatch run --threshold 100 --log warn,json dist/main.js --port 8080
`

const REGISTER = entryPoint('register')
/** Programs that people put before the file, as other tools expect. */
const NODE = /^(?:node|npm|npx|pnpm|yarn)$/

/**
 * The application runs in this very process, so signals, standard streams and the exit code are its own. Its children
 * get an agent too. The log goes to stderr, as with the preload: somebody may parse stdout.
 * @param {Command} program
 */
exports.addRun = (program) => {
  const command = program.command('run')
    .description('run an application under the agent')
    .argument('<app>', 'CommonJS or ES module')
    .argument('[args...]', 'arguments of the application')
    .passThroughOptions()
    .addHelpText('after', EXAMPLES)
    .action(run)
  for (const row of table.filter(({ key }) => key !== 'route')) {
    const byDefault = toText(row, /** @type {Record<string, unknown>} */ (preloadDefaults)[row.key] ?? row.default)
    const suffix = byDefault === '' ? '' : ` (default ${byDefault})`
    command.addOption(new Option(`${row.flag} <value>`, `${row.flagDoc ?? row.doc}${suffix}`)
      .helpGroup(row.heading)
      .argParser((text) => parseText(row, text, row.flag)))
  }
}

/** @param {(typeof table)[number]} row @param {unknown} value of that option */
function toText (row, value) {
  return value === undefined ? '' : (row.type.format ?? String)(value)
}

/** @param {string} app @param {string[]} args @param {Record<string, any>} options by key, parsed */
async function run (app, args, options) {
  if (NODE.test(app)) {
    throw codedError('LOOPWATCH_ERR_OPTION', '<app>', 'a JavaScript file (loopwatch run ' +
      `${args.find((each) => !each.startsWith('-')) ?? 'server.js'}); put flags of Node.js into NODE_OPTIONS`, app)
  }
  await checkPlaces(options)
  const file = path.resolve(app)
  for (const row of table) {
    if (options[row.key] !== undefined) process.env[row.env] = toText(row, options[row.key])
  }
  const preload = `--require "${REGISTER.replace(/[\\"]/g, '\\$&')}"`
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' ')
  process.argv = [process.argv[0], file, ...args]
  startPreloaded()
  // As Node.js itself runs a main module, CommonJS or ES.
  const { runMain } = /** @type {{ runMain: (file: string) => void }} */ (/** @type {unknown} */ (Module))
  // Not in this promise: what the application throws must not become a rejection.
  process.nextTick(runMain, file)
}

/**
 * Mistakes in flags show before the application runs: the agent would report them a second later, in the log. Variables
 * are not checked: an application must not fail to start in production because a disk is full.
 * @param {{ dir?: string, host?: string, port?: number | false }} flags
 */
async function checkPlaces ({ dir, host, port = 0 }) {
  if (dir !== undefined) makeOutputFolder('--dir', dir)
  if ((host !== undefined || port !== 0) && port !== false) await checkEndpoint(port, host)
}
