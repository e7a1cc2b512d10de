'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { chooseBy } = require('../../../../lib/export/profiles/query-filter')
const { makeRecord } = require('../../../support/record')

const records = [
  makeRecord({ id: '1-3', startedAt: '2026-11-21T10:00:20.000Z', frame: null, request: null, cause: 'native' }),
  makeRecord({ id: '1-2', startedAt: '2026-11-21T10:00:10.000Z', durationMs: 2000 }),
  makeRecord({ id: '1-1', startedAt: '2026-11-21T10:00:00.000Z', cause: 'gc' })
]

/** @param {Record<string, string>} query */
const ids = (query) => {
  const chosen = chooseBy(records, new URLSearchParams(query))
  return chosen.error ?? chosen.records.map(({ id }) => id).join()
}

test('blocks are chosen by time, cause, work and place', () => {
  const at = (/** @type {string} */ time) => `${Date.parse(`2026-11-21T10:00:${time}Z`)}`
  assert.equal(ids({}), '1-3,1-2,1-1')
  assert.equal(ids({ from: at('11'), to: at('15') }), '1-2')
  assert.equal(ids({ to: at('05') }), '1-1')
  assert.equal(ids({ cause: 'gc' }), '1-1')
  assert.equal(ids({ work: 'GET /report/:id' }), '1-2,1-1')
  assert.equal(ids({ file: '/srv/app/report.js', line: '41', function: 'report' }), '1-2,1-1')
  assert.equal(ids({ file: '/srv/app/report.js', line: '42' }), '')
  assert.equal(ids({ route: '/report/:id', cause: 'js' }), '1-2')
})

test('the same blocks as on the page are chosen by text and by a row of its table', () => {
  assert.equal(ids({ text: 'REPORT' }), '1-2,1-1')
  assert.equal(ids({ text: 'garbage' }), '1-1', 'a cause in words')
  assert.equal(ids({ text: 'zzzz' }), '')
  assert.equal(ids({ culprit: '["report","/srv/app/report.js"]' }), '1-2,1-1')
  const startup = makeRecord({ startup: true })
  const some = ['', 'aside=0'].map((query) => chooseBy([startup], new URLSearchParams(query)))
  assert.deepEqual(some, [{ records: [startup] }, { records: [] }])
})

test('a value that is not a number is refused', () => {
  for (const query of /** @type {Record<string, string>[]} */ ([{ seconds: '0' }, { seconds: 'x' }, { from: '' }, { to: 'now' }])) assert.match(ids(query), /takes? /, JSON.stringify(query))
})
