'use strict'

// Hooks of node:test: `node --require loopwatch/node-test --test`. A test that blocks fails.
const process = require('../../../util/process')
const { isTestRunner } = require('../../../host/launchers')
const { startChecker } = require('./checker')

/** @import { Checker } from './checker' */

/** @typedef {{ name?: string, fullName?: string, filePath?: string }} Context older versions have fewer fields */

/** @param {Checker} checker */
function follow (checker) {
  const { afterEach, beforeEach } = require('node:test')
  /** @type {Map<unknown, number>} by name: the hooks before and after a test receive different objects */
  const running = new Map()
  const nameOf = (/** @type {Context} */ context) => context?.fullName ?? context?.name ?? ''
  beforeEach((context) => { running.set(nameOf(/** @type {Context} */ (context)), checker.begin()) })
  afterEach((context) => {
    const name = nameOf(/** @type {Context} */ (context))
    const startMs = running.get(name)
    running.delete(name)
    return startMs === undefined ? undefined : checker.check(startMs, name, process.argv[1])
  })
}

// The process that starts the files runs no test.
const checker = isTestRunner(process.execArgv) ? null : startChecker()
if (checker !== null) follow(checker)
