#!/usr/bin/env node
'use strict'

const { addRun } = require('./run')
const look = require('./look-commands')
const runs = require('./run-commands')
const { endWith, makeProgram } = require('./common/failure')
const { version } = require('../../package.json')

const EXAMPLES = `
Examples:
  $ loopwatch run --port 9464 app.js
  $ loopwatch blocks 127.0.0.1:9464 --top
  $ loopwatch attach 4711 --once

Exit codes: 0 done, also by Ctrl-C in attach, view, demo, profile, diagnose and blocks --watch;
1 failed; 2 wrong usage; 3 'test' watched nothing; 130 Ctrl-C in 'test' and 'scenario'. 'run' ends
with the exit code of the application, and so does 'test' unless a block fails it.
`

const GROUPS = {
  'Run:': [addRun, runs.addTest, runs.addDemo],
  'Look at what blocks:': [look.addBlocks, look.addDoctor, look.addAttach, look.addRecord, look.addView],
  'Run under load:': [runs.addDiagnose, runs.addProfile],
  'More:': [look.addMcp, look.addDocs, runs.addScenario]
}

const program = makeProgram('loopwatch', 'commands')
  .description('Reports what blocks a Node.js event loop: which line, which request, why, and for how long.')
  .version(version)
  .enablePositionalOptions()
  .addHelpText('after', EXAMPLES)

// With `loopwatch run`, the application shares this process.
for (const [heading, adds] of Object.entries(GROUPS)) {
  program.commandsGroup(heading)
  for (const add of adds) add(program)
}
for (const each of program.commands) each.showHelpAfterError(`(loopwatch ${each.name()} --help lists the flags)`)

// commander's own prints the whole help for a command that does not exist.
program.helpCommand(false).command('help')
  .description('display help for command')
  .argument('[command]')
  .action(async (name) => {
    const exists = name === undefined || program.commands.some((each) => each.name() === name)
    if (!exists) program.error(`error: unknown command '${name}'`)
    await program.parseAsync([name ?? '--help', '--help'], { from: 'user' })
  })

program.parseAsync().catch(endWith)
