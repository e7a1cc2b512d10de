'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { repeat } = require('../../../../lib/cli/test/repeat')

/** @param {object} second what the second run shows */
async function stateAfter (second) {
  const offence = { state: 'new', call: null, function: 'slow', file: 'a.js', within: null, tests: [], records: [{ pid: 1 }] }
  const first = /** @type {any} */ ({ offences: [offence], runs: [], code: 0 })
  await repeat(first, async () => /** @type {any} */ ({ offences: [], code: 0, isInterrupted: false, ...second }), ['npm', 'test'])
  return offence.state
}

test('a block that a second run does not have is not confirmed; one that fails or is interrupted shows nothing', async () => {
  assert.equal(await stateAfter({}), 'unconfirmed')
  assert.equal(await stateAfter({ code: 1 }), 'new')
  assert.equal(await stateAfter({ isInterrupted: true }), 'new')
})
