#!/usr/bin/env node
'use strict'

const { Command } = require('commander')
const { addRun } = require('./commands/run')
const { addBlocks } = require('./commands/blocks')
const { addScenario } = require('./commands/scenario')
const { addStack } = require('./commands/stack')
const { addProfile } = require('./commands/profile')
const { addAttach } = require('./commands/attach')
const { addDiagnose } = require('./commands/diagnose')
const { LoopwatchError } = require('../errors')
const { version } = require('../../package.json')

const program = new Command('loopwatch')
  .description('Says what blocks a Node.js event loop: which line, which request, why and how long.')
  .version(version)
  .enablePositionalOptions()
  .showHelpAfterError('(loopwatch --help lists the commands)')

addRun(program)
addBlocks(program)
addStack(program)
addScenario(program)
addProfile(program)
addAttach(program)
addDiagnose(program)

program.parseAsync().catch((error) => {
  if (!(error instanceof LoopwatchError)) throw error
  process.stderr.write(`loopwatch: ${error.message} (${error.code})\n`)
  process.exitCode = 2
})
