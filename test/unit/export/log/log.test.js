'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { causes } = require('../../../../lib/tables/causes')
const { sentenceOf } = require('../../../../lib/export/log/sentence')
const { BlockLog } = require('../../../../lib/export/log/log')
const { LogBudget } = require('../../../../lib/export/log/budget')
const { makeDir } = require('../../../support/files')
const { makeRecord } = require('../../../support/record')

/** @param {number} id @param {Partial<import('../../../../lib/types').BlockRecord>} [differences] */
const ended = (id, differences) => ({ id: `1-${id}`, durationMs: 100, ongoing: false, ...differences })

test('the first blocks of a storm are logged each, then one a second, and the rest is counted', () => {
  const budget = new LogBudget(0)
  const allowed = []
  for (let i = 0; i < 60; i++) {
    if (budget.allows(ended(i), i * 100)) allowed.push(i)
  }
  assert.deepEqual(allowed.slice(0, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(allowed.length, 10 + 5, `${allowed}`)
  assert.equal(budget.takeSuppressed(), 60 - 15)
  assert.equal(budget.takeSuppressed(), 0)
})

test('a calm spell fills the budget up again, and no further', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 20; i++) budget.allows(ended(i), 0)
  const after = [...Array(20).keys()].filter((i) => budget.allows(ended(100 + i), 3600000))
  assert.equal(after.length, 10)
})

test('a block is logged whole or not at all, even if the budget recovers in its middle', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 10; i++) budget.allows(ended(i), 0)
  assert.equal(budget.allows(ended(50, { ongoing: true }), 900), false)
  assert.equal(budget.allows(ended(50, { ongoing: true }), 1100), false, 'in progress')
  assert.equal(budget.allows(ended(50), 1200), false, 'at its end')
  assert.equal(budget.takeSuppressed(), 1)
  assert.equal(budget.allows(ended(51, { ongoing: true }), 1200), true)
  assert.equal(budget.allows(ended(51, { ongoing: true }), 1201), true, 'in progress')
  assert.equal(budget.allows(ended(51), 1202), true, 'at its end')
  assert.equal(budget.allows(ended(52), 1203), false)
})

test('a block of a second is logged whatever came before, from when it has lasted that long', () => {
  const budget = new LogBudget(0)
  for (let i = 0; i < 100; i++) budget.allows(ended(i), 0)
  assert.equal(budget.allows(ended(100, { durationMs: 999 }), 0), false)
  assert.equal(budget.allows(ended(101, { durationMs: 1000 }), 0), true)
  assert.equal(budget.allows(ended(102, { durationMs: 60, ongoing: true }), 0), false)
  assert.equal(budget.allows(ended(102, { durationMs: 1000, ongoing: true }), 0), true)
  assert.equal(budget.allows(ended(102, { durationMs: 1500 }), 0), true)
  assert.equal(budget.takeSuppressed(), 91)
})

test('a block is one sentence: how long, where, which request, why', () => {
  /** @type {[Partial<import('../../../../lib/types').BlockRecord>, string][]} */
  const sentences = [
    [{}, 'event loop was blocked for 312 ms: report (report.js:41), GET /report/:id (js)'],
    [{ ongoing: true, durationMs: 2345 }, 'event loop blocked for 2.3 s so far: report (report.js:41), GET /report/:id (js)'],
    [{ durationMs: 999.4 }, 'event loop was blocked for 999 ms: report (report.js:41), GET /report/:id (js)'],
    [{ durationMs: 1000, request: null }, 'event loop was blocked for 1.0 s: report (report.js:41) (js)'],
    [{ startup: true, request: null, cause: 'sync-io' }, 'event loop was blocked for 312 ms at start-up: report (report.js:41) (sync-io)'],
    [{ frame: { function: null, file: '/srv/app/a b.js', line: 7, column: 1, exact: false } }, 'event loop was blocked for 312 ms: ≈ (anonymous) (a b.js:7), GET /report/:id (js)'],
    [{ frame: null }, 'event loop was blocked for 312 ms: outside application code, GET /report/:id (js)'],
    [{ frame: null, request: null, samples: 0, cause: 'unknown' }, 'event loop was blocked for 312 ms: no stack taken (unknown)'],
    [{ frame: null, request: null, samples: 0, cause: 'native', ongoing: true }, 'event loop blocked for 312 ms so far: inside a call that does not answer before it returns (native)'],
    [{ cause: 'starved' }, 'event loop was blocked for 312 ms: the process was kept waiting for a CPU (starved)'],
    [{ cause: 'suspended', durationMs: 61000 }, 'event loop was blocked for 61.0 s: the whole process was stopped (suspended)']
  ]
  for (const [differences, sentence] of sentences) assert.equal(sentenceOf(makeRecord(differences)), sentence)
})

test('the package at fault stands after the place, with its version where it has one', () => {
  const moment = { name: 'moment', version: '2.29.1', bugs: 'https://github.com/moment/moment/issues' }
  /** @type {[Partial<import('../../../../lib/types').BlockRecord>, string][]} */
  const sentences = [
    [{ package: moment }, 'event loop was blocked for 312 ms: report (report.js:41), in moment@2.29.1, GET /report/:id (js)'],
    [{ package: { ...moment, version: null }, request: null }, 'event loop was blocked for 312 ms: report (report.js:41), in moment (js)'],
    [{ package: { ...moment, name: '@s/x' }, request: null }, 'event loop was blocked for 312 ms: report (report.js:41), in @s/x@2.29.1 (js)'],
    [{ package: null }, 'event loop was blocked for 312 ms: report (report.js:41), GET /report/:id (js)'],
    [{ package: { name: '\u001b[2Jx', version: '1\r\n', bugs: null }, request: null }, 'event loop was blocked for 312 ms: report (report.js:41), in \uFFFD[2Jx@1\uFFFD\uFFFD (js)'],
    [{ package: { name: 'x'.repeat(214), version: '1'.repeat(256), bugs: null }, request: null }, `event loop was blocked for 312 ms: report (report.js:41), in ${'x'.repeat(79)}…@${'1'.repeat(79)}… (js)`]
  ]
  for (const [differences, sentence] of sentences) assert.equal(sentenceOf(makeRecord(differences)), sentence)
})

test('every cause gives a sentence, and where no code is to blame none names any', () => {
  for (const [cause, { excuse }] of Object.entries(causes)) {
    const sentence = sentenceOf(makeRecord({ cause: /** @type {any} */ (cause) }))
    assert.ok(sentence.endsWith(`(${cause})`), sentence)
    assert.equal(sentence.includes('report'), excuse === undefined, sentence)
  }
})

/**
 * A log into a file, on a clock that stands until it is set.
 * @param {import('node:test').TestContext} t
 * @param {{ level?: string }} [options]
 */
function makeLog (t, options = {}) {
  const file = path.join(makeDir(t), 'app.log')
  const clock = { nowMs: 1000 }
  const log = new BlockLog({ log: { ...options, destination: file }, nowMs: () => clock.nowMs, onState: (error) => { throw error } })
  t.after(() => log.close())
  const texts = () => fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return { log, clock, texts, lines: () => texts().map((text) => JSON.parse(text)) }
}

test('a block gives a line when it opens, each time it is reported again, and when it ends', (t) => {
  const { log, lines } = makeLog(t)
  log.opened(makeRecord({ ongoing: true, durationMs: 60 }))
  log.lasting(makeRecord({ ongoing: true, durationMs: 1060 }))
  log.settled(makeRecord({ durationMs: 2600 }))
  assert.deepEqual(lines().map(({ event, durationMs, level }) => ({ event, durationMs, level })), [
    { event: 'opened', durationMs: 60, level: 40 },
    { event: 'lasting', durationMs: 1060, level: 40 },
    { event: 'settled', durationMs: 2600, level: 40 }
  ])
})

test('a line carries what there is to search by, and the innermost frames as text', (t) => {
  const { log, lines } = makeLog(t)
  const record = makeRecord()
  log.settled(record)
  const [{ time, pid, hostname, ...line }] = lines()
  assert.deepEqual(line, {
    level: 40,
    name: 'loopwatch',
    event: 'settled',
    block: '4242-1',
    durationMs: 312.4,
    uncertaintyMs: 10,
    cause: 'js',
    frame: record.frame,
    request: record.request,
    samples: 13,
    evidence: record.evidence,
    stack: ['test (native)', 'report (/srv/app/report.js:41:13)'],
    msg: sentenceOf(record)
  })
})

test('a line names the package at fault, and leaves the address to the record', (t) => {
  const { log, lines } = makeLog(t)
  log.settled(makeRecord({ package: { name: 'moment', version: '2.29.1', bugs: 'https://github.com/moment/moment/issues' } }))
  assert.deepEqual(lines()[0].package, { name: 'moment', version: '2.29.1' })
  assert.match(lines()[0].msg, /, in moment@2\.29\.1, /)
})

test('blocks that are nobody\'s fault, and those at start-up, are information, others warnings', (t) => {
  const { log, lines } = makeLog(t)
  for (const cause of /** @type {const} */ (['starved', 'suspended', 'js', 'unknown'])) log.settled(makeRecord({ cause }))
  log.settled(makeRecord({ startup: true }))
  assert.deepEqual(lines().map(({ level }) => level), [30, 30, 40, 40, 30])
})

test('somebody at a breakpoint is not told that the loop is blocked', (t) => {
  const { log, texts } = makeLog(t)
  log.settled(makeRecord({ evidence: { ...makeRecord().evidence, debugger: true } }))
  assert.deepEqual(texts(), [])
})

test('a storm says how many blocks it kept out of the log, in the next line and once it is over', (t) => {
  const { log, clock, lines } = makeLog(t)
  for (let i = 0; i < 15; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 100 }))
  assert.equal(lines().length, 10)
  clock.nowMs += 1000
  log.settled(makeRecord({ id: '1-20', durationMs: 100 }))
  assert.equal(lines().at(-1).suppressed, 5)
  log.settled(makeRecord({ id: '1-21', durationMs: 100 }))
  log.flushSuppressed()
  log.flushSuppressed()
  assert.equal(lines().length, 12)
  assert.deepEqual([lines().at(-1).event, lines().at(-1).suppressed], ['suppressed', 1])
  assert.deepEqual(log.takeDropped(), { log_suppressed: 6, log_line: 0 })
  assert.deepEqual(log.takeDropped(), { log_suppressed: 0, log_line: 0 })
})

test('blocks whose lines nobody sees take no place of those that are seen, and are none that was left out', (t) => {
  const { log, clock, lines } = makeLog(t, { level: 'warn' })
  const invisible = [{ cause: /** @type {const} */ ('starved') }, { startup: true }, { evidence: { ...makeRecord().evidence, debugger: true } }]
  for (let i = 0; i < 30; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 100, ...invisible[i % 3] }))
  for (let i = 30; i < 45; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 100 }))
  assert.deepEqual(lines().map(({ block }) => block), Array.from({ length: 10 }, (_, i) => `1-${30 + i}`))
  log.settled(makeRecord({ id: '1-45', durationMs: 100, cause: 'starved' }))
  clock.nowMs += 1000
  log.flushSuppressed()
  assert.equal(lines().at(-1).suppressed, 5, 'said by a line that is seen')
  assert.deepEqual(log.takeDropped(), { log_suppressed: 5, log_line: 0 })
})

test('a block that turns out to be nobody\'s fault is forgotten at its end, also where that line is not seen', (t) => {
  const { log, clock, lines } = makeLog(t, { level: 'warn' })
  for (let i = 0; i < 11; i++) log.opened(makeRecord({ id: `1-${i}`, durationMs: 100, ongoing: true }))
  for (let i = 0; i < 11; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 200, cause: 'starved' }))
  clock.nowMs += 1000
  // The same id again stands for any: what was decided of it is gone.
  log.settled(makeRecord({ id: '1-10', durationMs: 100 }))
  assert.deepEqual(lines().map(({ event }) => event), [...Array(10).fill('opened'), 'settled'])
  assert.equal(lines().at(-1).suppressed, undefined)
})

test('a block that is stuck gives everything known of it as an error', (t) => {
  const { log, lines } = makeLog(t)
  log.stuck(makeRecord({ ongoing: true }))
  const [line] = lines()
  assert.equal(line.level, 50)
  assert.deepEqual(line.record, makeRecord({ ongoing: true }))
  assert.deepEqual([line.block, line.cause, line.frame], [line.record.id, line.record.cause, line.record.frame], 'as in all other lines')
})

test('the level holds for all lines', (t) => {
  const { log, lines } = makeLog(t, { level: 'error' })
  log.settled(makeRecord())
  log.stuck(makeRecord())
  assert.deepEqual(lines().map(({ event }) => event), ['stuck'])
})

/** A line that a pipe takes in one piece does not mix with those of the host. */
const PIPE_BYTES = 4096

test('a line fits in a pipe in one piece and stays readable, however long the names of functions, files and routes', (t) => {
  for (const character of ['x', '日', '🎉', '\u0001', '"', '\ud800', '/']) {
    const { log, texts } = makeLog(t)
    const name = character.repeat(10000)
    const frame = { function: name, file: `/${name}.js`, line: 123456, column: 123456 }
    const record = makeRecord({
      id: '4194304-100.1000000',
      durationMs: 86400000.4,
      frame: { ...frame, exact: true },
      package: { name: name.slice(0, 214), version: name.slice(0, 256), bugs: name.slice(0, 2048) },
      request: { method: 'GET', route: `/${name}`, startedAt: '2026-11-21T10:00:00.100Z' },
      stacks: [{ count: 1, weightMs: 1, frames: Array(64).fill(frame) }],
      evidence: { cpuMs: 86400000.4, gcMs: 86400000.4, runQueueMs: 86400000.4, throttledMs: 86400000.4, stolenMs: 86400000.4, answerMs: 86400000.4, nativeMs: 86400000.4, watchdogGapMs: 86400000.4, requests: 40, debugger: false }
    })
    log.settled(record)
    const [text] = texts()
    assert.ok(Buffer.byteLength(text) + 1 <= PIPE_BYTES, `${JSON.stringify(character)}: ${Buffer.byteLength(text) + 1} bytes`)
    const line = JSON.parse(text)
    assert.equal(line.block, record.id)
    assert.equal(line.cause, 'js')
    assert.equal(line.frame.line, 123456)
    assert.ok(line.stack.length > 0 && line.stack[0].endsWith(':123456:123456)'), 'the innermost frame is still there')
    assert.match(line.msg, /^event loop was blocked for 86400\.0 s: .*\(js\)$/s)
    assert.ok(record.frame?.function === name && record.stacks[0].frames.length === 64, 'the record itself stays whole')
  }
})

test('a line of everyday names is not cut', (t) => {
  const { log, lines } = makeLog(t)
  const frame = { function: 'Object.aFunctionWithARatherLongName', file: `/srv/${'folder/'.repeat(20)}a-file.js`, line: 1234, column: 56 }
  const request = { method: 'GET', route: `/${'segment/'.repeat(25)}:id`, startedAt: '2026-11-21T10:00:00.100Z' }
  log.settled(makeRecord({ frame: { ...frame, exact: true }, request, stacks: [{ count: 1, weightMs: 1, frames: Array(64).fill(frame) }] }))
  const [line] = lines()
  assert.deepEqual(line.frame, { ...frame, exact: true })
  assert.deepEqual(line.request, request)
  assert.deepEqual(line.stack, Array(8).fill(`${frame.function} (${frame.file}:1234:56)`))
})
