'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Culprit, withSharedNames } = require('../../../lib/export/culprits')

/** @param {string | null} name @param {number | null} column @param {number} [line] */
const row = (name, column, line = 1) => ({ frame: { function: name, file: '/srv/dist/server.js', line, column, exact: true } })
/** @param {ReturnType<typeof row>[]} rows */
const names = (rows) => withSharedNames(rows).map(({ frame }) => frame.function)

test('a function without a name has that of the same place in another block, and no other of a bundle\'s line', () => {
  assert.deepEqual(names([row('hash', 40), row(null, 44), row(null, null), row(null, 44, 2)]), ['hash', 'hash', 'hash', null])
  assert.deepEqual(names([row('hash', 90000), row(null, 5000)]), ['hash', null])
  assert.deepEqual(names([row('hash', 90000), row('sum', 7), row(null, null)]), ['hash', 'sum', null], 'either')
})

test('a work that one block is certain of is not listed again with a mark', () => {
  const culprit = new Culprit()
  for (const [durationMs, work] of /** @type {[number, string][]} */ ([[70, 'GET /'], [80, '≈ GET /'], [100, '≈ job mail'], [50, 'job mail of GET /'], [30, '≈ job mail of ≈ GET /']])) {
    culprit.add(/** @type {any} */ ({ id: work, cause: 'js', frame: null, durationMs }), work)
  }
  assert.equal(culprit.work, '≈ job mail, GET /, job mail of GET /')
})
