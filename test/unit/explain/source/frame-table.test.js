'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FrameTable } = require('../../../../lib/explain/source/frame-table')

test('equal frames are one object, symbolicated once, and their number is bounded', () => {
  let lookups = 0
  const table = new FrameTable((frame) => {
    lookups++
    return { ...frame, file: `${frame.file}.ts` }
  })
  const raw = { function: 'report', file: '/srv/report.js', line: 3, column: 1 }
  const first = table.get({ ...raw })
  assert.equal(table.get({ ...raw }), first)
  assert.equal(first.file, '/srv/report.js.ts')
  assert.notEqual(table.get({ ...raw, line: 4 }), first)
  assert.equal(lookups, 2)
  for (let line = 10; line < 20010; line++) table.get({ ...raw, line })
  assert.notEqual(table.get({ ...raw }), first, 'forgotten when the table was full')
})
