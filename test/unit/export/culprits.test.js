'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { withSharedNames } = require('../../../lib/export/culprits')

/** @param {string | null} name @param {number | null} column @param {number} [line] */
const row = (name, column, line = 1) => ({ frame: { function: name, file: '/srv/dist/server.js', line, column, exact: true } })
/** @param {ReturnType<typeof row>[]} rows */
const names = (rows) => withSharedNames(rows).map(({ frame }) => frame.function)

test('a function without a name has that of the same place in another block, and no other of a bundle\'s line', () => {
  assert.deepEqual(names([row('hash', 40), row(null, 44), row(null, null), row(null, 44, 2)]), ['hash', 'hash', 'hash', null])
  assert.deepEqual(names([row('hash', 90000), row(null, 5000)]), ['hash', null])
  assert.deepEqual(names([row('hash', 90000), row('sum', 7), row(null, null)]), ['hash', 'sum', null], 'either')
})
