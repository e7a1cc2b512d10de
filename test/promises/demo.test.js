'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode } = require('../support/app')

const START = path.join(__dirname, '..', '..', 'scenarios', 'demo', 'start.js')

test('npm start shows blocks of the shop and sums them up at its end', async (t) => {
  const row = /^ +(?:≈ )?recommend \(\S*recommendations\.js:\d+\) +GET \/customers\/:id\/recommendations +\S+ +\d.*%/m
  // Three are enough, but for a busy machine.
  for (const seconds of [3, 20]) {
    const { code, stdout, stderr } = await startNode(t, [START, '--seconds', `${seconds}`, '--every', '0.5', '--port', '0']).closed
    assert.equal(code, 0, stderr)
    if (stdout.includes('recommend') && row.test(stderr)) return
    assert.equal(seconds, 3, `${stdout}${stderr}`)
  }
})
