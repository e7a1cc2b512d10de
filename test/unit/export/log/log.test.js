'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { BlockLog } = require('../../../../lib/export/log/log')
const { sentenceOf } = require('../../../../lib/util/sentence')
const { makeDir } = require('../../../support/files')
const { HEAP_PROFILE, LINKIFY_ISSUE, makeRecord, NEW } = require('../../../support/record')

/**
 * A log into a file, on a clock that stands until it is set.
 * @param {import('node:test').TestContext} t
 * @param {{ level?: string, format?: 'json' | 'pretty' }} [options]
 */
function makeLog (t, options = {}) {
  const file = path.join(makeDir(t), 'app.log')
  const clock = { nowMs: 1000 }
  const log = new BlockLog({
    log: { ...options, destination: file },
    nowMs: () => clock.nowMs,
    onState: (error) => {
      throw error
    }
  })
  t.after(() => log.close())
  const texts = () => fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return { log, clock, texts, lines: () => texts().map((text) => JSON.parse(text)) }
}

/** A line that a pipe takes in one piece does not mix with those of the host. */
const PIPE_BYTES = 4096

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

test('a block at startup is one line, at its end', (t) => {
  const { log, lines } = makeLog(t)
  log.opened(makeRecord({ startup: true, ongoing: true, durationMs: 60 }))
  log.lasting(makeRecord({ startup: true, ongoing: true, durationMs: 1060 }))
  log.settled(makeRecord({ startup: true, durationMs: 2600 }))
  assert.deepEqual(lines().map(({ event, level }) => ({ event, level })), [{ event: 'settled', level: 30 }])
})

test('a long block has further lines after 1, 5, 15 and 60 s', (t) => {
  const { log, lines } = makeLog(t)
  for (let second = 0; second <= 61; second++) {
    log.lasting(makeRecord({ ongoing: true, durationMs: second * 1000 + 60 }))
  }
  assert.deepEqual(lines().map(({ durationMs }) => durationMs), [1060, 5060, 15060, 60060])
})

test('lines are for people where the option says so', (t) => {
  const { log, texts } = makeLog(t, { format: 'pretty' })
  log.settled(makeRecord())
  assert.match(texts()[0], /^\[[\d:.]+\] WARN {2}event loop was blocked for 312 ms: report \(app\/report\.js:41\)/)
  assert.match(texts()[1], /^ {4}why: /)
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

test('a line has the known issue of the package', (t) => {
  const { log, lines } = makeLog(t)
  log.settled(makeRecord({ package: { name: 'linkify-it', version: '5.0.1', bugs: null }, packageIssue: LINKIFY_ISSUE }))
  assert.deepEqual(lines()[0].packageIssue, LINKIFY_ISSUE)
})

test('a line has what the running version has changed', (t) => {
  const { log, lines } = makeLog(t)
  log.opened(makeRecord({ ongoing: true, change: NEW }))
  assert.deepEqual(lines()[0].change, NEW)
  assert.match(lines()[0].msg, /, new since version 1\.8\.2, /)
})

test('a line has the longest statement of a database', (t) => {
  const { log, lines } = makeLog(t)
  const query = { text: 'SELECT a FROM t WHERE b = ?', durationMs: 290, count: 1, totalMs: 290 }
  log.settled(makeRecord({ query }))
  assert.deepEqual(lines()[0].query, query)
})

test('blocks that are nobody\'s fault, and those at startup, are information, others warnings', (t) => {
  const { log, lines } = makeLog(t)
  for (const cause of /** @type {const} */ (['starved', 'suspended', 'js', 'unknown'])) log.settled(makeRecord({ cause }))
  log.settled(makeRecord({ startup: true }))
  assert.deepEqual(lines().map(({ level }) => level), [30, 30, 40, 40, 30])
})

test('the number of blocks that a burst kept out of the log is in the next line, and in a line after the burst', (t) => {
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

test('blocks of worker threads are information, as many lines as a person reads, and take none of the main thread\'s', (t) => {
  const { log, lines } = makeLog(t)
  for (let i = 0; i < 30; i++) log.settled(makeRecord({ id: `thread ${i}`, thread: 'pool', threadId: i + 1, durationMs: 2000 }))
  for (let i = 0; i < 5; i++) log.settled(makeRecord({ id: `main ${i}`, durationMs: 60 }))
  const levels = lines().map(({ level }) => level)
  assert.deepEqual(levels, [...new Array(10).fill(30), ...new Array(5).fill(40)])
  assert.equal(lines()[10].suppressed, 20)
})

test('a worker thread has one line a minute, and one more when its line of code is known', (t) => {
  const { log, clock, lines } = makeLog(t)
  const { frame } = makeRecord()
  const settle = (/** @type {string} */ id, /** @type {object} */ more) => log.settled(makeRecord({ id, thread: 'pool', threadId: 3, ...more }))
  for (let i = 0; i < 5; i++) settle(`none ${i}`, { frame: null })
  for (let i = 0; i < 5; i++) settle(`line ${i}`, { frame })
  settle('other', { frame: null, threadId: 4 })
  clock.nowMs += 60000
  for (let i = 0; i < 5; i++) settle(`later ${i}`, { frame })
  settle('last', { frame: null })
  assert.deepEqual(lines().map(({ block }) => block), ['none 0', 'line 0', 'other', 'later 0'])
  assert.equal(log.takeDropped().log_suppressed, 0)
})

test('blocks whose lines nobody sees take no place of those that are seen, and are none that was left out', (t) => {
  const { log, clock, lines } = makeLog(t, { level: 'warn' })
  const invisible = [{ cause: /** @type {const} */ ('starved') }, { startup: true }]
  for (let i = 0; i < 30; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 100, ...invisible[i % 2] }))
  for (let i = 30; i < 45; i++) log.settled(makeRecord({ id: `1-${i}`, durationMs: 100 }))
  assert.deepEqual(lines().map(({ block }) => block), Array.from({ length: 10 }, (_, i) => `1-${30 + i}`))
  log.settled(makeRecord({ id: '1-45', durationMs: 100, cause: 'starved' }))
  clock.nowMs += 1000
  log.flushSuppressed()
  assert.equal(lines().at(-1).suppressed, 5, 'said by a line that is seen')
  assert.deepEqual(log.takeDropped(), { log_suppressed: 5, log_line: 0 })
})

test('a block that turns out to be nobody\'s fault is forgotten at its end, even if that line is not shown', (t) => {
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
      evidence: {
        cpuMs: 86400000.4,
        gcMs: 86400000.4,
        runQueueMs: 86400000.4,
        throttledMs: 86400000.4,
        stolenMs: 86400000.4,
        answerMs: 86400000.4,
        nativeMs: 86400000.4,
        watchdogGapMs: 86400000.4,
        requests: 40
      }
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
  log.settled(
    makeRecord({
      frame: { ...frame, exact: true },
      request,
      stacks: [{ count: 1, weightMs: 1, frames: Array(64).fill(frame) }]
    })
  )
  const [line] = lines()
  assert.deepEqual(line.frame, { ...frame, exact: true })
  assert.deepEqual(line.request, request)
  assert.deepEqual(line.stack, Array(8).fill(`${frame.function} (${frame.file}:1234:56)`))
})

test('the heap profile of a block is not repeated in its line, which names the function that keeps memory', (t) => {
  const { log, lines } = makeLog(t)
  const heap = { isHeapFull: true, heapUsedBytes: 90, heapFreedBytes: 1, heapLimitBytes: 100 }
  const memory = { ...heap, heapProfile: HEAP_PROFILE }
  log.settled(makeRecord({ cause: 'gc', evidence: { ...makeRecord().evidence, memory: /** @type {any} */ (memory) } }))
  const [{ evidence, msg }] = lines()
  assert.equal(evidence.memory.heapUsedBytes, 90)
  assert.equal(evidence.memory.heapProfile, undefined)
  assert.match(msg, /71% of the latest was allocated in addSession \(shop\/cache\.js:12\)/)
})
