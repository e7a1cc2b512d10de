#!/usr/bin/env node
'use strict'

const { Command } = require('commander')
const { addRun } = require('./run')
const { addBlocks } = require('./blocks')
const { addScenario } = require('./scenario')
const { addStack } = require('./stack/command')
const { addProfile } = require('./profile/command')
const { addAttach } = require('./attach/command')
const { addDiagnose } = require('./diagnose/command')
const { LoopwatchError } = require('../tables/errors')
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
