#!/usr/bin/env node
'use strict'

const { Command, CommanderError } = require('commander')
const { addRun } = require('./run')
const { addBlocks } = require('./blocks/command')
const { addMcp } = require('./mcp/command')
const { addDoctor } = require('./doctor/command')
const { addDocs } = require('./docs/command')
const { addDemo } = require('./demo/command')
const { addScenario } = require('./scenario')
const { addStack } = require('./stack/command')
const { addProfile } = require('./profile/command')
const { addAttach } = require('./attach/command')
const { addDiagnose } = require('./diagnose/command')
const { addTest } = require('./test/command')
const { endWith, styled } = require('./common/failure')
const { version } = require('../../package.json')

const EXAMPLES = `
Examples:
  $ loopwatch run --port 9464 app.js
  $ loopwatch blocks 127.0.0.1:9464 --top
  $ loopwatch attach 4711 --once

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 ended by Ctrl-C. 'run' and 'test' end with the
application's own.
`

const program = new Command('loopwatch')
  .description('Says what blocks a Node.js event loop: which line, which request, why and how long.')
  .version(version)
  .enablePositionalOptions()
  .addHelpText('after', EXAMPLES)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(styled(text)) })
  .showHelpAfterError('(loopwatch --help lists the commands)')

for (const add of [
  addRun,
  addTest,
  addBlocks,
  addMcp,
  addDoctor,
  addDocs,
  addAttach,
  addProfile,
  addDiagnose,
  addStack,
  addDemo,
  addScenario
]) {
  add(program)
}

program.parseAsync().catch((error) => {
  // commander has printed its message already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else endWith(error)
})
