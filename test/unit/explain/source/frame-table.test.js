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

test('what V8 calls a function without a name is replaced by what the source says, or by nothing', () => {
  const names = new Map([[9, 'callback of cron.schedule'], [3, null]])
  const table = new FrameTable((frame) => frame, { nameOf: ({ line }) => names.get(Number(line)) })
  const named = (/** @type {string | null} */ name, /** @type {number} */ line) =>
    table.named(table.get({ function: name, file: '/srv/rollup.js', line, column: 1 })).function
  const guess = 'RollupCron.node_cron_1.default.schedule.name'
  assert.equal(named(guess, 9), 'callback of cron.schedule')
  assert.equal(named('run.tenant.tenant', 3), null, 'the source says nothing')
  assert.equal(named('Parser.parse', 3), 'Parser.parse', 'nor anything else')
  assert.equal(named(guess, 12), null, 'the source is still being read')
  for (const own of ['rollUp', 'get total', '#private', 'GET /a.json', '/a.json']) assert.equal(named(own, 9), own)
})
