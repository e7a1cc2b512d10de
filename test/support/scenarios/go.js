'use strict'

const assert = require('node:assert/strict')
const go = require('../../../scenarios/goroutines/go')

/**
 * Its command; without it the test is skipped and says so, in CI it fails.
 * @param {import('node:test').TestContext} t
 */
function findGo (t) {
  const command = go.findGo()
  if (command === null) {
    assert.notEqual(process.env.CI, 'true', go.missing)
    t.skip(go.missing)
  }
  return command
}

exports.findGo = findGo
