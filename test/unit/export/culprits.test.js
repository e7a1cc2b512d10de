'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { groupByCulprit, withSharedNames } = require('../../../lib/export/culprits')

/** @param {string | null} name @param {number | null} column @param {number} [line] */
const row = (name, column, line = 1) => ({ frame: { function: name, file: '/srv/dist/server.js', line, column, exact: true } })
/** @param {ReturnType<typeof row>[]} rows */
const names = (rows) => withSharedNames(rows).map(({ frame }) => frame.function)

test('a function without a name has that of the same place in another block, and no other of a bundle\'s line', () => {
  assert.deepEqual(names([row('hash', 40), row(null, 44), row(null, null), row(null, 44, 2)]), ['hash', 'hash', 'hash', null])
  assert.deepEqual(names([row('hash', 90000), row(null, 5000)]), ['hash', null])
  assert.deepEqual(names([row('hash', 90000), row('sum', 7), row(null, null)]), ['hash', 'sum', null], 'either')
})

/** What a culprit says that its blocks ran. @param {[durationMs: number, work: string, works?: any[]][]} blocks */
function worksOf (blocks) {
  const rows = blocks.map(([durationMs, work, works]) =>
    /** @type {any} */ ({ id: work, cause: 'js', frame: row('rollUp', 4).frame, durationMs, work, works }))
  const [culprit] = groupByCulprit(rows, (ran) => /** @type {any} */ (ran).work)
  return culprit.work
}

test('a work that one block is certain of is not listed again with a mark', () => {
  const told = worksOf([[70, 'GET /'], [80, '≈ GET /'], [100, '≈ job mail'], [50, 'job mail of GET /'], [30, '≈ job mail of ≈ GET /']])
  assert.equal(told, '≈ job mail, GET /, job mail of GET /')
})

test('a function that two jobs call lists both, and that some of its blocks had no work', () => {
  assert.equal(worksOf([[100, 'job tidy-up'], [300, 'job nightly']]), 'job nightly, job tidy-up')
  assert.equal(worksOf([[100, 'job tidy-up'], [300, '']]), 'job tidy-up, no work')
  assert.equal(worksOf([...'abcde'].map((name, i) => [100 - i, name])), 'a, b, c and 2 more')
  assert.equal(worksOf([[9, ''], ...[...'abcde'].map((name, i) => /** @type {[number, string]} */ ([100 - i, name]))]), 'a, b, c and 2 more, no work')
  assert.equal(worksOf([[100, '']]), '')
})

test('two jobs that call one function in one turn are both listed, and a job of another function is not', () => {
  const { frame } = row('rollUp', 8)
  const works = [{ work: 'job tidy-up', frame, weightMs: 50 }, { work: 'job nightly', frame, weightMs: 250 },
    { work: 'job mail', frame: { ...frame, function: 'send' }, weightMs: 60 }]
  assert.equal(worksOf([[360, 'job tidy-up', works]]), 'job nightly, job tidy-up')
})
