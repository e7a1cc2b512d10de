'use strict'

const Module = require('node:module')
const path = require('node:path')
const { Option } = require('commander')
const { table, parseText } = require('../../options')
const { start } = require('../../host/start')

const REGISTER = path.join(__dirname, '..', '..', 'register.js')

/**
 * `loopwatch run [options] app.js [args]`: the application in this very process, so that signals,
 * standard streams and the exit code are its own. Node.js processes it starts get an agent too.
 * @param {import('commander').Command} program
 */
exports.addRun = (program) => {
  const command = program.command('run')
    .description('run an application under the agent')
    .argument('<app>', 'CommonJS or ES module')
    .argument('[args...]', 'arguments of the application')
    .passThroughOptions()
    .action(run)
  for (const row of table.filter(({ key }) => key !== 'route')) {
    const given = row.default === undefined || typeof row.default === 'object' ? '' : ` (default ${row.default})`
    command.addOption(new Option(`${row.flag} <value>`, `${row.doc}${given}`)
      .argParser((text) => parseText(row, text, row.flag)))
  }
}

/** @param {string} app @param {string[]} args @param {Record<string, unknown>} given by key, parsed */
function run (app, args, given) {
  const file = path.resolve(app)
  const env = Object.fromEntries(table.filter(({ key }) => given[key] !== undefined).map((row) => [row.env, (row.type.format ?? String)(given[row.key])]))
  Object.assign(process.env, env)
  start()
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--require "${REGISTER.replace(/[\\"]/g, '\\$&')}"`].filter(Boolean).join(' ')
  process.argv = [process.argv[0], file, ...args]
  // Node's own way to run a main module: it takes CommonJS and ES modules alike.
  const { runMain } = /** @type {{ runMain: (file: string) => void }} */ (/** @type {unknown} */ (Module))
  // Outside of this promise: what the application throws must not become a rejection.
  process.nextTick(runMain, file)
}
