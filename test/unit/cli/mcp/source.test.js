'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { status } = require('../../../../lib/cli/mcp/answers')
const { openSource } = require('../../../../lib/cli/mcp/source')
const { makeDir } = require('../../../support/files')
const { makeRecord } = require('../../../support/record')

test('a second question about a folder reads nothing again, and knows of a block that has come meanwhile', async (t) => {
  const dir = makeDir(t)
  const file = path.join(dir, 'blocks-1-1.ndjson')
  const append = (/** @type {string} */ id) => fs.appendFileSync(file, `${JSON.stringify(makeRecord({ id }))}\n`)
  const source = openSource(dir)
  const known = async () => (await status(source, {})).head[2]
  append('1-1')
  assert.match(await known(), /^Known: 1 block, /)
  const whole = t.mock.method(fs, 'readFileSync')
  assert.match(await known(), /^Known: 1 block, /)
  append('1-2')
  assert.match(await known(), /^Known: 2 blocks, /)
  assert.deepEqual(whole.mock.calls.map(({ arguments: [name] }) => name), [])
})
