'use strict'

// The conditions by which lib/explain chooses a line, each left out in turn.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const guarded = require('../../scenarios/bakeoff/checks/guarded')

const GUARDS = path.join(__dirname, '..', '..', 'scenarios', 'bakeoff', 'checks', 'guards.js')

test('every condition of the rules for a line changes a recorded block', { timeout: 600_000 }, (t) => {
  if (guarded.files.length === 0) return t.skip('no file is listed in guarded.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [GUARDS, '--check'], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

test('a part of a condition that changes nothing is reported', { timeout: 600_000 }, () => {
  const args = [GUARDS, '--check', '--files', 'package.js', '--sample', '20']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.match(stdout, /^changes no recorded block of every 20, and may change others: package\.js:\d+\t.+ -> .+$/m, stderr)
  assert.match(stdout, /\d+ of \d+ parts of conditions change a recorded block or are accepted\.\n$/, stderr)
})
