'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { collect, formats } = require('../../../../lib/export/profiles/profiles')
const { STACKS } = require('../../../../lib/export/profiles/stack-table')
const { frame, selfMs } = require('../../../support/lib/profiles')
const { makeRecord } = require('../../../support/record')

test('stacks beyond the bound keep their time', async () => {
  const records = Array.from({ length: STACKS + 500 }, (_, i) => makeRecord({ id: `1-${i}`, durationMs: 10, stacks: [{ count: 1, weightMs: 10, frames: [frame(`f${i}`, 1)] }] }))
  const table = await collect(records)
  assert.ok(table.stacks.length <= STACKS + 1)
  assert.equal(Math.round(table.stacks.reduce((sum, { weightMs }) => sum + weightMs, 0)), records.length * 10)
  assert.equal(selfMs(String(formats.cpuprofile.write(table, '')))['(other):0'], 5000)
})
