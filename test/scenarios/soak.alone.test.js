'use strict'

// Takes 20 s: bounds of growth need some time to be broken. `npm run soak` runs for as long as you like.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const RUN = path.join(__dirname, '..', '..', 'scenarios', 'soak', 'run.js')
const SHORT_MINUTES = '0.2'

test('a service under load with blocks keeps every bound; an agent that misses blocks does not', { skip: process.platform !== 'linux' && 'reads /proc', timeout: 300_000 }, async (t) => {
  const report = path.join(makeDir(t), 'soak.html')
  const kept = startNode(t, [RUN, '--minutes', SHORT_MINUTES, '--report', report])
  const { code, stdout, stderr } = await kept.closed
  assert.equal(code, 0, `${stdout}${stderr}`)
  assert.match(fs.readFileSync(report, 'utf8'), /<polyline/)
  const misses = await startNode(t, [RUN, '--minutes', '0.05', '--options', '{"threshold":5000}']).closed
  assert.equal(misses.code, 1, misses.stdout + misses.stderr)
  assert.match(misses.stdout, /with a record +\d+ \/ 0\n[^]*blocks made \/ with a record +BROKEN/)
  assert.match(misses.stdout, /^no record: \w+ of \d+ ms at 20/m)
  const wrong = await startNode(t, [RUN, '--minutes', 'x']).closed
  assert.match(wrong.stderr, /^--minutes takes 0 to 1440, got "x"\n$/)
  assert.equal(wrong.code, 2)
})
