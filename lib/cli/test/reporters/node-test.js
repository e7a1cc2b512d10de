'use strict'

// Hooks of node:test: `node --require loopwatch/node-test --test`. A test that blocks fails.
const process = require('../../../util/process')
const { isTestRunner } = require('../../../host/launchers')
const { follow } = require('../inside/node-test')
const { startChecker } = require('./checker')

// The process that starts the files runs no test.
const checker = isTestRunner(process.execArgv) ? null : startChecker()
if (checker !== null) follow(checker)
