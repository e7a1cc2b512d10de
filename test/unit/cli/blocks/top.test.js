'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { makeRecord, NEW } = require('../../../support/record')
const { topMarkdown, topTable, culpritsOf } = require('../../../../lib/cli/blocks/top')
const { offencesOf } = require('../../../../lib/cli/test/offences')
const { filterOf } = require('../../../../lib/cli/blocks/blocks')
const { since } = require('../../../../lib/cli/common/flags')

const frame = (/** @type {string} */ name) => ({ function: name, file: '/app/orders.js', line: 7, column: 3, exact: true })
const request = { method: 'GET', route: '/orders', startedAt: '2026-11-22T10:00:00.000Z', ended: false }

test('culprits are added up by function and file, the longest in total first', () => {
  const culprits = culpritsOf([
    makeRecord({ durationMs: 100, cause: 'js', frame: frame('rare'), request }),
    makeRecord({ durationMs: 80, cause: 'js', frame: frame('often'), request }),
    makeRecord({ durationMs: 90, cause: 'js', frame: frame('often'), request }),
    makeRecord({ durationMs: 60, cause: 'native', frame: { ...frame('often'), line: 9 }, request })
  ])
  assert.deepEqual(
    culprits.map(({ place, cause, count, totalMs, longestMs }) => [place, cause, count, totalMs, longestMs]),
    [
      ['often (app/orders.js:7, 9)', 'js', 3, 230, 90],
      ['rare (app/orders.js:7)', 'js', 1, 100, 100]
    ]
  )
})

test('a function answers for its own part of a block, and a wait for a CPU has a row with what to do', () => {
  const parts = { js: 1100, native: 60, gc: 40, asleep: 0, waiting: 6500, stopped: 0, unexplained: 0 }
  const culprits = culpritsOf([
    makeRecord({ durationMs: 7700, cause: 'starved', excused: false, parts, frame: frame('resize'), request }),
    makeRecord({ durationMs: 100, frame: frame('resize'), request }),
    makeRecord({ durationMs: 300, cause: 'starved', frame: frame('other'), request: null })
  ])
  const told = culprits.map(({ place, cause, count, totalMs, longestMs }) => [place, cause, count, totalMs, longestMs])
  assert.deepEqual(told, [
    ['waiting for a CPU: give it more CPU', 'starved', 1, 6800, 6500],
    ['resize (app/orders.js:7)', 'js', 2, 1300, 1200]
  ])
})

test('a function whose name is known in only some blocks is one culprit', () => {
  const nameless = { ...frame(''), function: null, column: null }
  const blocks = [nameless, frame('callback of copy.sort'), { ...nameless, line: 9 }].map((each, i) =>
    makeRecord({ durationMs: 100 - i, frame: each, request }))
  assert.deepEqual(culpritsOf(blocks).map(({ place, count }) => [place, count]),
    [['callback of copy.sort (app/orders.js:7)', 2], ['(anonymous) (app/orders.js:9)', 1]])
  const test = { file: null, name: null }
  const judged = blocks.map((record) => /** @type {any} */ ({ record, ownMs: 90, excuse: null, test }))
  assert.deepEqual(offencesOf(judged, '/app').map((each) => [each.function, each.count]),
    [['callback of copy.sort', 2], ['(anonymous)', 1]])
})

test('how the time of a function grows with the body is below its row, and in its cell of Markdown', () => {
  const blocks = Array.from({ length: 9 }, (_, i) => makeRecord({
    durationMs: 100 * 4 ** i, frame: frame('parse'), request: { ...request, bytesIn: 2048 * 2 ** i }
  }))
  const all = [...blocks, makeRecord({ durationMs: 50, frame: frame('short'), request })]
  const growth = '9 blocks: time grows with the square of the body (6553.6 s at 512 kB)'
  assert.ok(topTable(all).includes(`6553.6 s\n    ${growth}\n  short`), topTable(all))
  assert.ok(topMarkdown(all).includes(`\n| parse (app/orders.js:7): ${growth} | GET /orders | js | 9 |`), topMarkdown(all))
  assert.equal(topMarkdown(all).split('\n').filter((line) => line.includes('grows')).length, 1)
})

test('the table has shares of all blocked time, and a doubtful line is marked', () => {
  const table = topTable([
    makeRecord({ durationMs: 750, cause: 'native', frame: { ...frame('parse'), exact: false }, request }),
    makeRecord({ durationMs: 250, cause: 'starved', frame: null, request: null })
  ])
  assert.match(table, /^2 blocks, 1\.0 s in all$/m)
  assert.match(table, /^ {2}≈ parse \(app\/orders\.js:7\) +GET \/orders +native +1 +750 ms +75% +750 ms$/m)
  assert.match(table, /^ {2}waiting for a CPU: give it more CPU +no work +starved +1 +250 ms +25% +250 ms$/m)
  assert.equal(topTable([]), 'no blocks\n')
})

test('worker threads have a table of their own, and no share of the time of the main loop', () => {
  const ofThread = { thread: 'resize', threadId: 3, request: null }
  const table = topTable([
    makeRecord({ durationMs: 750, cause: 'js', frame: frame('parse'), request }),
    makeRecord({ ...ofThread, durationMs: 9000, cause: 'js', frame: { ...frame('shrink'), exact: false } }),
    makeRecord({ ...ofThread, durationMs: 10_000, cause: 'unknown', frame: null })
  ])
  assert.match(table, /^1 block, 750 ms in all$/m)
  assert.match(table, /^ {2}parse \(app\/orders\.js:7\) .* 100% /m)
  assert.match(table, /^ {2}resize +≈ shrink \(app\/orders\.js:7\) +js +2 +19\.0 s +10\.0 s$/m)
  assert.doesNotMatch(topTable([makeRecord({ ...ofThread, durationMs: 9000 })]), /%|in all/)
})

test('the table as Markdown, in which the names of an application stay names', () => {
  const table = topMarkdown([makeRecord({ durationMs: 750, frame: frame('<b>|`x`'), request })])
  assert.match(table, /^\| place \| work \| cause \| blocks \| total \| share \| longest \|\n\| --- \| --- \| --- \| --: \| --: \| --: \| --: \|$/m)
  assert.match(table, /^\| \\<b\\>\\\|\\`x\\` \(app\/orders\.js:7\) \| GET \/orders \| js \| 1 \| 750 ms \| 100% \| 750 ms \|$/m)
  assert.equal(topMarkdown([]), 'no blocks\n')
})

test('blocks are chosen by time, cause and route', () => {
  const record = makeRecord({ startedAt: '2026-11-22T10:00:00.000Z', durationMs: 1000, cause: 'js', request })
  assert.equal(filterOf({})(record), true)
  assert.equal(filterOf({ since: Date.parse('2026-11-22T10:00:01.000Z') })(record), true)
  assert.equal(filterOf({ since: Date.parse('2026-11-22T10:00:01.001Z') })(record), false)
  assert.equal(filterOf({ cause: 'gc' })(record), false)
  assert.equal(filterOf({ new: true })(record), false)
  assert.equal(filterOf({ new: true })({ ...record, change: NEW }), true)
  assert.equal(filterOf({ new: true })({ ...record, change: { ...NEW, kind: 'slower' } }), false)
  assert.equal(filterOf({ route: 'GET /ord' })(record), true)
  assert.equal(filterOf({ route: 'POST' })(record), false)
  assert.equal(filterOf({ route: 'GET' })({ ...record, request: null }), false)
})

test('--since takes a length of time or a time, and nothing else', () => {
  assert.ok(Math.abs(since('10m') - (Date.now() - 600_000)) < 1000)
  assert.ok(Math.abs(since('1.5h') - (Date.now() - 5_400_000)) < 1000)
  assert.equal(since('2026-11-22T10:00:00Z'), Date.parse('2026-11-22T10:00:00Z'))
  for (const text of ['10', 'soon', '-5m', '5 m', '', '2026-99-99']) {
    assert.throws(() => since(text), { code: 'LOOPWATCH_ERR_OPTION', message: /--since takes a length of time/ }, text)
  }
})

test('a block of a queue worker, without any request, says its job; within a request both', () => {
  const work = { kind: /** @type {const} */ ('job'), name: 'email:send', id: '7', parent: null, startedAt: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }
  const job = makeRecord({ durationMs: 100, cause: 'js', frame: frame('render'), request: null, work })
  const within = makeRecord({ durationMs: 50, cause: 'js', frame: frame('render'), request, work: { ...work, kind: 'task' } })
  assert.match(topTable([job, within]), /render \(app\/orders\.js:7\) +job email:send, task email:send of GET \/orders +js +2/)
  assert.equal(filterOf({ work: 'job email' })(job), true)
  assert.equal(filterOf({ work: 'job email' })(within), false)
  const works = [{ ...within, weightMs: 200 }, { ...job, weightMs: 90 }]
  assert.equal(filterOf({ work: 'job email' })({ ...within, works }), true, 'one of several works of a turn')
  assert.equal(filterOf({ work: 'job' })(makeRecord({ work: null })), false)
})
