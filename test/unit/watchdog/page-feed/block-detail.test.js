'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { makeDetail, showsSource } = require('../../../../lib/watchdog/page-feed/block-detail')
const { makeRecord } = require('../../../support/record')

const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`)

/** @param {object} [parts] @param {import('../../../../lib/types').BlockRecord} [record] */
function ask (parts, record = makeRecord()) {
  /** @type {string[]} */
  const read = []
  const detail = makeDetail({
    options: { source: 'on', host: '127.0.0.1' },
    block: (id) => id === record.id ? record : undefined,
    records: () => [record],
    waitsFor: () => ({ requests: 2, longestMs: 40, routes: [] }),
    sourceRows: (file) => { read.push(file); return lines },
    ...parts
  })
  return { answer: /** @type {any} */ (detail(record.id)), read, detail }
}

test('a block comes with its source, advice and who waited', () => {
  const { answer, detail } = ask()
  assert.deepEqual(Object.keys(answer), ['block', 'source', 'advice', 'waits'])
  assert.deepEqual([answer.source.line, answer.source.lines.length, answer.waits.requests], [41, 9, 2])
  assert.equal(detail('1-1'), null)
})

test('source is shown to this machine, or to whoever has the token, and never if it is off', () => {
  const host = '127.0.0.1'
  assert.ok(showsSource({ source: 'on', host }) && showsSource({ source: 'on', host: '::1' }) && showsSource({ source: 'on', host: 'localhost' }))
  assert.ok(showsSource({ source: 'on', host: '0.0.0.0', token: 'secret' }))
  assert.ok(!showsSource({ source: 'on', host: '0.0.0.0' }) && !showsSource({ source: 'on', host: '127.evil.example' }))
  assert.ok(!showsSource({ source: 'off', host, token: 'secret' }))
  const { answer, read } = ask({ options: { source: 'off', host } })
  assert.deepEqual([answer.source, read], [null, []])
})

test('only files of source are read, and none of code that was compiled in memory', () => {
  const at = (/** @type {any} */ frame) => ask({}, makeRecord({ frame: { ...makeRecord().frame, ...frame } })).read
  assert.deepEqual(at({}), ['/srv/app/report.js'])
  for (const file of ['/etc/shadow', 'node:fs', 'report.js', '/srv/.env', null]) assert.deepEqual(at({ file }), [], `${file}`)
  assert.deepEqual(at({ compiled: true }), [])
})
