'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { endSentenceOf, printable, sentenceOf } = require('../../../lib/util/sentence')
const { causes } = require('../../../lib/tables/causes')
const { asleepText } = require('../../../lib/util/place-text')
const { HEAP_PROFILE, LINKIFY_ISSUE, makeRecord, NEW } = require('../../support/record')

const job = { kind: /** @type {const} */ ('job'), name: 'email:send', id: '7', parent: null, startedAt: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }

test('a block is one sentence: how long, where, which request, why', () => {
  /** @type {[Partial<import('../../../lib/types').BlockRecord>, string][]} */
  const sentences = [
    [{}, 'event loop was blocked for 312 ms: report (app/report.js:41), GET /report/:id (js)'],
    [{ ongoing: true, durationMs: 2345 }, 'event loop blocked for 2.3 s so far: report (app/report.js:41), GET /report/:id (js)'],
    [{ durationMs: 999.4 }, 'event loop was blocked for 999 ms: report (app/report.js:41), GET /report/:id (js)'],
    [{ durationMs: 1000, request: null }, 'event loop was blocked for 1.0 s: report (app/report.js:41) (js)'],
    [{ startup: true, request: null, cause: 'sync-io' }, 'event loop was blocked for 312 ms at startup: report (app/report.js:41) (sync-io)'],
    [{ frame: { function: null, file: '/srv/app/a b.js', line: 7, column: 1, exact: false } }, 'event loop was blocked for 312 ms: ≈ (anonymous) (app/a b.js:7), GET /report/:id (js)'],
    [{ request: null, work: job }, 'event loop was blocked for 312 ms: report (app/report.js:41), job email:send (js)'],
    [{ request: null, work: { ...job, ended: true } }, 'event loop was blocked for 312 ms: report (app/report.js:41), after job email:send (js)'],
    [{ work: job }, 'event loop was blocked for 312 ms: report (app/report.js:41), job email:send of GET /report/:id (js)'],
    [{ request: { method: 'GET', route: '/a', startedAt: '', ended: false, traceId: null, exact: false } }, 'event loop was blocked for 312 ms: report (app/report.js:41), ≈ GET /a (js)'],
    [{ request: { method: 'GET', route: '/a', startedAt: '', ended: false, traceId: null, exact: false, among: 3 } }, 'event loop was blocked for 312 ms: report (app/report.js:41), ≈ GET /a (the oldest of 3 in flight) (js)'],
    [{ request: null, work: { ...job, exact: false } }, 'event loop was blocked for 312 ms: report (app/report.js:41), ≈ job email:send (js)'],
    [{ frame: null }, 'event loop was blocked for 312 ms: outside application code, GET /report/:id (js)'],
    [{ frame: { function: 'report', file: '/srv/app/report.ts', line: 2, column: 1, exact: false, compiled: true } }, 'event loop was blocked for 312 ms: ≈ report (app/report.ts), GET /report/:id (js)'],
    [{ frame: null, request: null, samples: 0, cause: 'unknown' }, 'event loop was blocked for 312 ms: no stack taken (unknown)'],
    [{ frame: null, request: null, samples: 0, cause: 'native', ongoing: true }, 'event loop blocked for 312 ms so far: inside a native or synchronous call; the line follows when the call returns (native)'],
    [{ cause: 'starved' }, 'event loop was blocked for 312 ms: the process was kept waiting for a CPU (starved)'],
    [{ cause: 'suspended', durationMs: 61000 }, 'event loop was blocked for 61.0 s: the whole process was stopped (suspended)']
  ]
  for (const [differences, sentence] of sentences) assert.equal(sentenceOf(makeRecord(differences)), sentence)
})

test('the last block of a process that ended with a full heap names the function that filled it', () => {
  const { evidence } = makeRecord()
  const sentence = (/** @type {object} */ heapProfile, ongoing = true) =>
    endSentenceOf(makeRecord({ ongoing, evidence: { ...evidence, memory: /** @type {any} */ ({ heapProfile }) } }))
  const begin = 'a previous process (pid 4242) ended 312 ms into a block: report (app/report.js:41), GET /report/:id (js)'
  const full = ', the heap was full: 71% of the latest was allocated in addSession (shop/cache.js:12)'
  assert.equal(sentence(HEAP_PROFILE), begin + full)
  assert.equal(sentence({ ...HEAP_PROFILE, isHeapFull: false }), begin)
  assert.equal(sentence({ ...HEAP_PROFILE, keptBy: undefined }), `${begin}, the heap was full`)
  assert.equal(sentence(HEAP_PROFILE, false), begin.replace('312 ms into a block', 'after a block of 312 ms') + full)
})

test('a place in generated code names the file that made it', () => {
  const file = 'eval at compile (/srv/app/node_modules/zod/v4/core/doc.cjs:38:25)'
  const frame = { function: 'eval', file, line: 6, column: 1, exact: false }
  assert.match(sentenceOf(makeRecord({ frame })), /: ≈ eval \(code made in core\/doc\.cjs:6\)/)
})

test('the package at fault stands after the place, with its version where it has one', () => {
  const moment = { name: 'moment', version: '2.29.1', bugs: 'https://github.com/moment/moment/issues' }
  /** @type {[Partial<import('../../../lib/types').BlockRecord>, string][]} */
  const sentences = [
    [{ package: moment }, 'event loop was blocked for 312 ms: report (app/report.js:41), in moment@2.29.1, GET /report/:id (js)'],
    [{ package: { ...moment, version: null }, request: null }, 'event loop was blocked for 312 ms: report (app/report.js:41), in moment (js)'],
    [{ package: { ...moment, name: '@s/x' }, request: null }, 'event loop was blocked for 312 ms: report (app/report.js:41), in @s/x@2.29.1 (js)'],
    [{ package: null }, 'event loop was blocked for 312 ms: report (app/report.js:41), GET /report/:id (js)'],
    [{ package: { name: '\u001b[2Jx', version: '1\r\n', bugs: null }, request: null }, 'event loop was blocked for 312 ms: report (app/report.js:41), in \uFFFD[2Jx@1\uFFFD\uFFFD (js)'],
    [{ package: { name: 'x'.repeat(214), version: '1'.repeat(256), bugs: null }, request: null }, `event loop was blocked for 312 ms: report (app/report.js:41), in ${'x'.repeat(79)}…@${'1'.repeat(79)}… (js)`]
  ]
  for (const [differences, sentence] of sentences) assert.equal(sentenceOf(makeRecord(differences)), sentence)
})

test('what a version has changed stands after the place', () => {
  const parts = { js: 200, native: 0, gc: 0, asleep: 0, waiting: 112, stopped: 0, unexplained: 0 }
  assert.equal(sentenceOf(makeRecord({ change: NEW })),
    'event loop was blocked for 312 ms: report (app/report.js:41), new since version 1.8.2, GET /report/:id (js)')
  assert.equal(sentenceOf(makeRecord({ change: { ...NEW, text: 'was 40 ms before 1.8.2' }, parts, request: null })),
    'event loop was blocked for 312 ms, 200 ms of it by report (app/report.js:41), was 40 ms before 1.8.2, ' +
      'and 112 ms waiting for a CPU (js)')
})

test('a known issue of the package stands next to its name, with the fixed version or what to do instead', () => {
  const linkify = { name: 'linkify-it', version: '5.0.1', bugs: null }
  const said = (/** @type {object} */ issue) =>
    sentenceOf(makeRecord({ package: linkify, packageIssue: { ...LINKIFY_ISSUE, ...issue } }))
  assert.match(said({}), /, in linkify-it@5\.0\.1 \(known: CVE-2026-59887, fixed in linkify-it 5\.0\.2\), GET /)
  assert.match(said({ id: 'node-cache#271', fixed: undefined, cure: 'useClones: false' }), / \(known: node-cache#271, useClones: false\), GET /)
})

test('a thread that sleeps names its system call, but what it waits for if that is a database', () => {
  const { evidence } = makeRecord()
  const said = (/** @type {string} */ text) =>
    sentenceOf(makeRecord({ cause: 'sync-io', request: null, evidence: { ...evidence, sleptIn: { call: 'nanosleep', target: null, text, share: 1 } } }))
  assert.match(said('nanosleep'), /\(app\/report\.js:41\), asleep in nanosleep \(sync-io\)$/)
  const lock = 'waits for the lock of a SQLite database: /srv/app/orders.db'
  assert.match(said(lock), /\(app\/report\.js:41\), waits for the lock of a SQLite database: \/srv\/app\/orders\.db \(sync-io\)$/)
  assert.equal(asleepText(lock, 'is '), lock)
  assert.equal(asleepText('read of /x', 'is '), 'is asleep in read of /x')
})

test('the longest statement of a database comes last, with the time of all', () => {
  const query = { text: 'SELECT a FROM t WHERE b = ?', durationMs: 290, count: 1, totalMs: 290 }
  const said = (/** @type {object} */ more) => sentenceOf(makeRecord({ request: null, query: { ...query, ...more } })).split(' (js)')[1]
  assert.equal(said({}), ', statement (290 ms): SELECT a FROM t WHERE b = ?')
  assert.equal(said({ count: 9000 }), ', longest of 9000 statements (290 ms): SELECT a FROM t WHERE b = ?')
  assert.equal(said({ count: 9000, more: true }), ', longest of more than 9000 statements (290 ms): SELECT a FROM t WHERE b = ?')
})

test('a template is named without a line, and a probable call in the line itself without that line', () => {
  const code = { function: 'template views/list.ejs', file: '/srv/app/views/list.ejs', line: null, column: null }
  /** @type {[Partial<import('../../../lib/types').BlockRecord>, string][]} */
  const sentences = [
    [{ generated: code }, 'template views/list.ejs run by report (app/report.js:41)'],
    [{ generated: { ...code, function: 'rule', file: 'evalmachine.<anonymous>', line: 3 } }, 'generated code rule (evalmachine.<anonymous>:3) run by report (app/report.js:41)'],
    [{ probable: { call: 'shift', line: 41 } }, 'report (app/report.js:41), probably in shift'],
    [{ probable: { call: 'JSON.parse', line: 40 } }, 'report (app/report.js:41), probably JSON.parse in line 40']
  ]
  for (const [differences, where] of sentences) {
    assert.equal(sentenceOf(makeRecord({ request: null, ...differences })), `event loop was blocked for 312 ms: ${where} (js)`)
  }
})

test('every cause gives a sentence, and where no code is to blame none names any', () => {
  for (const [cause, { excuse }] of Object.entries(causes)) {
    const sentence = sentenceOf(makeRecord({ cause: /** @type {any} */ (cause) }))
    assert.ok(sentence.endsWith(`(${cause})`), sentence)
    assert.equal(sentence.includes('report'), excuse === undefined, sentence)
  }
})

test('a block of which the culprit took less than two thirds says how much it took, and what took the rest', () => {
  const none = { js: 0, native: 0, gc: 0, asleep: 0, waiting: 0, stopped: 0, unexplained: 0 }
  /** @type {[object, string][]} */
  const told = [
    [{ parts: { ...none, js: 1200, waiting: 6500 } }, ', 1.2 s of it by report (app/report.js:41) and 6.5 s waiting for a CPU, GET /report/:id (js)'],
    [{ parts: { ...none, js: 3000, gc: 1700, stopped: 2900, waiting: 100 } }, ', 4.7 s of it by report (app/report.js:41) and 2.9 s stopped, GET /report/:id (js)'],
    [{ parts: { ...none, js: 1200, waiting: 6500 }, frame: null }, ', 6.5 s of it waiting for a CPU: outside application code, GET /report/:id (js)'],
    [{ parts: { ...none, js: 5200, waiting: 2500 } }, ': report (app/report.js:41), GET /report/:id (js)'],
    [{ parts: { ...none, js: 40, waiting: 7660 }, cause: 'starved', excused: true }, ': the process was kept waiting for a CPU (starved)'],
    [{ parts: { ...none, js: 1200, waiting: 6500 }, cause: 'starved', excused: false }, ', 1.2 s of it by report (app/report.js:41) and 6.5 s waiting for a CPU, GET /report/:id (starved)'],
    [{ parts: { ...none, native: 1200, waiting: 6500 }, cause: 'starved', excused: false, frame: null, samples: 0, request: null }, ', 6.5 s of it waiting for a CPU: inside a native or synchronous call; the line follows when the call returns (starved)']
  ]
  for (const [differences, end] of told) {
    assert.equal(sentenceOf(makeRecord({ durationMs: 7700, ...differences })), `event loop was blocked for 7.7 s${end}`)
  }
})

test('a turn of several callbacks tells what called each, the three heaviest', () => {
  const frame = { function: 'read', file: '/srv/app/report.js', line: 3, column: 1 }
  const callbacks = [
    { kind: 'timer', frame: { ...frame, function: 'refresh' }, work: null, weightMs: 75 },
    { kind: 'event', event: 'end', frame, work: 'POST /x', weightMs: 12 }
  ]
  const told = (/** @type {any[]} */ each) => sentenceOf(makeRecord({ request: null, callbacks: each })).split(' (js)')[1]
  assert.equal(told(callbacks), ", callbacks: timer refresh 75 ms, 'end' read of POST /x 12 ms")
  assert.match(told([...callbacks, ...callbacks]), /12 ms, timer refresh \(app\/report\.js:3\) 75 ms and 1 more$/)
  assert.equal(told([callbacks[0]]), '')
})

test('a name that would turn a line around in a terminal is shown with its marks replaced', () => {
  assert.equal(printable('a\u202Eb\u2066c\u200Fd\u2028e\u0007f'), 'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf')
  assert.equal(printable('שלום, é, 漢字'), 'שלום, é, 漢字')
})
