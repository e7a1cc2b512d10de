'use strict'

// What the bakeoff holds for true and how it judges, on plain data. test/scenarios/quick.alone.test.js runs it.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { contestants } = require('../../../scenarios/bakeoff/contestants')
const { corpus } = require('../../../scenarios/bakeoff/corpus/corpus')
const { readRecord, readReport, readScrape } = require('../../../scenarios/bakeoff/reports')
const { scenario } = require('../../../scenarios/bakeoff/scenario')
const { countBlamed, judge, summarise } = require('../../../scenarios/bakeoff/score')
const { tables } = require('../../../scenarios/bakeoff/tables')
const { makeDocument } = require('../../support/scenario-document')

const FOLDER = path.join(__dirname, '..', '..', '..', 'scenarios', 'bakeoff')
const spin = /** @type {import('../../../scenarios/bakeoff/corpus/corpus').Case} */ (corpus.find(({ name }) => name === 'spin'))
const truth = { startMs: 1000, endMs: 1200 }

/**
 * @param {Partial<import('../../../scenarios/bakeoff/reports').Report>} [more]
 * @returns {import('../../../scenarios/bakeoff/reports').Report}
 */
const report = (more) => ({ atMs: 1210, id: 'a', durationMs: 202, frame: { function: 'spin', line: spin.lines[0] }, route: '/spin', cause: 'js', thread: 'main', isFinal: true, isExcused: false, ...more })

/**
 * @param {import('../../../scenarios/bakeoff/reports').Report[]} reports
 * @param {Partial<import('../../../scenarios/bakeoff/score').Observation>} [more]
 */
const judged = (reports, more) => judge({ case: spin, truth, reports, endpoint: null, ...more }, { isPrompt: true })

test('a report counts for what its last words say, and for when its first came', () => {
  const right = judged([report({ atMs: 1060, durationMs: 60, cause: 'unknown', frame: null }), report()])
  assert.deepEqual([right.found, right.isFrame, right.isLine, right.isRoute, right.said, right.isWhileBlocked, right.firstMs, right.strays], [true, true, true, true, 'js', true, 60, 0])
  assert.ok(Math.abs(Number(right.errorPercent) - 1) < 1e-9)
  const late = judged([report({ frame: { function: 'measured', line: 'target.js:20' }, route: null, cause: 'native' })])
  assert.deepEqual([late.found, late.isFrame, late.isLine, late.isRoute, late.said, late.isWhileBlocked], [true, false, false, false, 'native', false])
})

test('a contestant that never sums up is judged by the frame and route of most of its reports', () => {
  const elsewhere = { frame: { function: 'send', line: 'target.js:9' }, route: null, isFinal: false }
  const isFinal = false
  assert.deepEqual(
    (({ isLine, isRoute }) => [isLine, isRoute])(judged([report({ isFinal }), report({ isFinal }), report(elsewhere)])),
    [true, true]
  )
  assert.deepEqual(
    (({ isLine, isRoute }) => [isLine, isRoute])(judged([report({ isFinal }), report(elsewhere), report(elsewhere)])),
    [false, false]
  )
})

test('nothing said is a miss, and a block before or after the true one is a stray, unless it is excused', () => {
  const missed = judged([])
  assert.deepEqual([missed.found, missed.isWhileBlocked, missed.errorPercent, missed.said], [false, false, null, null])
  const before = report({ id: 'b', atMs: 990, durationMs: 60 })
  const after = report({ id: 'c', atMs: 1400, durationMs: 60 })
  assert.deepEqual([judged([before]).found, judged([before]).strays], [false, 1])
  assert.equal(judged([before, report(), after]).strays, 2)
  assert.equal(judged([report(), { ...after, isExcused: true }]).strays, 0)
  assert.equal(judge({ case: spin, truth, reports: [after], endpoint: null }, {}).found, true, 'who looks at intervals may be late')
  assert.equal(countBlamed([before, before, after, { ...report(), isExcused: true }]), 2)
  const pause = { startMs: after.atMs - after.durationMs, endMs: after.atMs }
  assert.equal(countBlamed([before, before, after], [pause], { isPrompt: true }), 1, 'a pause of the collector was one')
})

test('a block of a worker thread counts for who names that thread, and one of the main thread is then a stray', () => {
  const inThread = /** @type {import('../../../scenarios/bakeoff/corpus/corpus').Case} */ (corpus.find(({ kind }) => kind === 'thread'))
  assert.deepEqual([inThread.thread, inThread.route], ['reports', null])
  const own = report({ thread: 'reports', route: null, frame: { function: 'inThread', line: inThread.lines[0] } })
  const right = judged([own], { case: inThread })
  assert.deepEqual([right.found, right.isFrame, right.isLine, right.isRoute, right.said, right.strays], [true, true, true, true, 'js', 0])
  const wrong = judged([{ ...own, thread: 'main' }], { case: inThread })
  assert.deepEqual([wrong.found, wrong.strays], [false, 1])
  assert.deepEqual((({ found, strays }) => [found, strays])(judge({ case: inThread, truth, reports: [{ ...own, thread: 'main' }], endpoint: null }, {})), [false, 1], 'nor for who is late')
  assert.deepEqual((({ found, strays }) => [found, strays])(judged([own])), [false, 1])
  const blind = judged([{ ...own, frame: null, cause: 'unknown' }], { case: inThread })
  const tells = ['frame', 'route', 'cause', 'duration']
  const figures = summarise([judged([report()]), blind], { tells, isBlindInThreads: true })
  assert.deepEqual([figures.recall, figures.line, figures.cause], [100, 100, 100], 'who tells durations only of threads is not asked for more')
  assert.deepEqual([summarise([blind], { tells }).line, summarise([blind], { tells }).cause], [0, 0])
})

test('a block that never ends has no duration, and every report of it came in time', () => {
  const endless = judged([report({ atMs: 1070, durationMs: 70 })], { truth: { startMs: 1000, endMs: null } })
  assert.deepEqual([endless.found, endless.isWhileBlocked, endless.errorPercent], [true, true, null])
})

test('figures leave out what a contestant does not tell, and name the blocks it got wrong', () => {
  const verdicts = [judged([report()], { endpoint: { answered: true } }), { ...judged([report({ cause: 'gc', route: null })], { endpoint: { answered: false } }), name: 'other' }, { ...judged([]), name: 'third' }]
  const all = summarise(verdicts, { tells: ['frame', 'route', 'cause', 'duration'] })
  assert.deepEqual(
    [Math.round(all.recall), all.function, all.line, all.lineOfJs, all.request, all.cause, all.answered, all.strays],
    [67, 100, 100, 100, 50, 50, 50, 0]
  )
  assert.deepEqual([all['said:js:js'], all['said:js:gc'], all['wrong cause:other'], all['wrong cause:spin'], all['found:third']], [1, 1, 1, undefined, 0])
  const native = { ...judged([report({ frame: null })]), name: 'native', isJs: false }
  const some = summarise([verdicts[0], native], { tells: ['frame'] })
  const lines = [some.line, some.lineOfJs, some['wrong line:native']]
  assert.deepEqual(lines, [50, 100, 1], 'a line is asked of every block, not of JavaScript alone')
  const few = summarise(verdicts, { tells: ['duration'] })
  assert.deepEqual(
    [few.function, few.lineOfJs, few.request, few.cause, few.answered],
    [undefined, undefined, undefined, undefined, 50]
  )
  assert.ok(Math.abs(few.durationError - 1) < 1e-9)
})

test('what is wrong is worse where nothing says that it is in doubt', () => {
  const elsewhere = { function: 'spin', line: 'blocks.js:1' }
  const certainOf = (/** @type {Parameters<typeof report>[0]} */ more) => judged([report(more)]).certain
  assert.deepEqual(certainOf({}), [])
  assert.deepEqual(certainOf({ frame: elsewhere, route: '/other', cause: 'gc' }), ['line', 'request', 'cause'])
  assert.deepEqual(certainOf({ frame: elsewhere, route: '/other', cause: 'unknown', doubts: ['line', 'request'] }), [])
  assert.deepEqual(certainOf({ frame: null, route: null }), [], 'what says nothing is wrong of nothing')
  const verdicts = [judged([report({ frame: elsewhere, route: '/other' })]), { ...judged([report()]), name: 'other' }, { ...judged([]), name: 'third' }]
  const figures = summarise(verdicts, { tells: ['frame'], marksDoubt: true })
  assert.deepEqual(
    [figures.certainAndWrong, figures['certain line'], figures['certain request'], figures['certain cause'], figures['certain line:spin'], figures['certain line:other']],
    [1, 1, 1, 0, 1, undefined]
  )
  assert.equal(summarise(verdicts, { tells: ['frame'] }).certainAndWrong, undefined)
})

test('where nothing can tell whose a block was a mark of doubt is right, and a package is where its own code is slow', () => {
  const shared = { ...spin, mayDoubt: /** @type {('line' | 'request')[]} */ (['line', 'request']), packages: ['diff'] }
  const aspects = (/** @type {Parameters<typeof report>[0]} */ more) => {
    const { isFrame, isLine, isRoute, certain } = judged([report(more)], { case: shared })
    return [isFrame, isLine, isRoute, certain]
  }
  const other = { function: 'settle', line: 'blocks.js:1' }
  assert.deepEqual(aspects({ frame: other, route: '/other', doubts: ['line', 'request'] }), [true, true, true, []])
  assert.deepEqual(aspects({ frame: null, route: null }), [true, true, false, []])
  assert.deepEqual(aspects({ frame: other, route: '/other' }), [false, false, false, ['line', 'request']])
  assert.deepEqual(aspects({ frame: { ...other, package: 'diff' } }), [true, true, true, []])
  assert.deepEqual(aspects({ frame: { ...other, package: 'marked' } }), [false, false, true, ['line']])
})

test('the column has the blocks that were wrong with certainty and what of them, and - for who knows no doubt', () => {
  const [cell] = makeDocument().cells
  const { text } = /** @type {any} */ (scenario.columns?.find(({ title }) => title === 'certain and wrong'))
  const only = (/** @type {number} */ n) => ({ median: n, min: n, max: n, ci95: null, samples: [n] })
  const none = Object.fromEntries(
    ['certainAndWrong', 'certain line', 'certain request', 'certain cause'].map((key) => [key, only(0)])
  )
  const some = { ...none, certainAndWrong: only(2), 'certain line': only(1), 'certain request': only(2) }
  assert.equal(text({ ...cell, extra: some }), '2: line 1, request 2')
  assert.equal(text({ ...cell, extra: none }), '0')
  assert.equal(text({ ...cell, extra: {} }), '-')
})

test('the log of the agent, stacks of other tools and scraped figures are read alike', () => {
  const frame = { function: 'spin', file: path.join(FOLDER, 'corpus', 'blocks.js'), line: 34, column: 5 }
  const log = { name: 'loopwatch', event: 'settled', block: '1-2', time: 1210, durationMs: 200.4, frame, request: { route: '/spin' }, cause: 'starved' }
  assert.deepEqual(readReport(log), { atMs: 1210, id: '1-2', durationMs: 200.4, frame: { function: 'spin', line: 'blocks.js:34', package: null }, route: '/spin', cause: 'starved', thread: 'main', ownMs: 0, isFinal: true, isExcused: true, doubts: [] })
  const doubtful = readReport({ ...log, frame: { ...frame, exact: false }, request: { route: '/spin', exact: false } })
  assert.deepEqual(doubtful?.doubts, ['line', 'request'])
  assert.deepEqual(readReport({ ...log, frame: { ...frame, exact: true } })?.doubts, [])
  const packaged = path.join('x', 'node_modules', 'y', 'node_modules', '@z', 'a', 'b.js')
  assert.equal(readReport({ ...log, frame: { ...frame, file: packaged } })?.frame?.package, '@z/a')
  assert.equal(readReport({ ...log, thread: 'reports', threadId: 3 })?.thread, 'reports')
  assert.equal(readReport({ name: 'loopwatch', event: 'listening' }), null)
  const record = { id: '1-2', startedAt: new Date(1000).toISOString(), durationMs: 200.4, frame, request: { route: '/spin' }, cause: 'js' }
  assert.deepEqual(readRecord(record), { ...readReport(log), atMs: 1200.4, cause: 'js', isExcused: false })
  assert.equal(readReport({ bakeoff: 'ended', name: 'spin' }), null)

  const stack = ['    at node:internal/timers:5:1', `    at Wrap.run (${path.join('x', 'node_modules', 'y', 'index.js')}:1:1)`, `    at Object.spin [as go] (${path.join(FOLDER, 'corpus', 'blocks.js')}:34:5)`]
  assert.deepEqual(readReport({ bakeoff: 'report', atMs: 1, durationMs: 2, stack })?.frame, { function: 'spin', line: 'blocks.js:34' })
  const frames = [{ function: 'pbkdf2Sync', filename: 'node:crypto', lineno: 1 }, { function: 'blocks.pbkdf2', filename: path.join(FOLDER, 'corpus', 'blocks.js'), lineno: 9 }]
  assert.deepEqual(readReport({ bakeoff: 'report', atMs: 1, durationMs: 2, frames, route: '/x' }), { atMs: 1, id: null, durationMs: 2, frame: { function: 'pbkdf2', line: 'blocks.js:9' }, route: '/x', cause: null, thread: 'main', isFinal: false, isExcused: false })
  assert.equal(readReport({ bakeoff: 'report', atMs: 1, durationMs: 2 })?.frame, null)

  const text = '# TYPE lag_max_seconds gauge\nlag_max_seconds 0.21\nlag_max_seconds_other 9\n'
  assert.equal(readScrape(text, 'lag_max_seconds', 50, 7)?.durationMs, 210)
  assert.equal(readScrape(text, 'lag_max_seconds', 500, 7), null)
  assert.equal(readScrape('lag_max_seconds{a="b"} 0.3', 'lag_max_seconds', 50, 7)?.durationMs, 300)
  assert.equal(readScrape('', 'lag_max_seconds', 50, 7), null)
})

test('the tables say block by block what was wrong, and which cause was taken for which', () => {
  const [cell] = makeDocument().cells
  const summary = (/** @type {number[]} */ samples) => ({
    median: samples[0],
    min: Math.min(...samples),
    max: Math.max(...samples),
    ci95: null,
    samples
  })
  const mine = { ...cell, variant: 'loopwatch', samples: [100, 100], extra: { cause: summary([90, 100]), 'found:spin': summary([1, 1]), 'found:pbkdf2': summary([1, 1]), 'wrong cause:pbkdf2': summary([1]), 'certain cause:pbkdf2': summary([1]), 'said:js:js': summary([1, 1]), 'said:native:native': summary([1]), 'said:native:js': summary([1]) } }
  const other = { ...cell, variant: 'blocked', extra: { 'found:spin': summary([0, 0]), 'found:pbkdf2': summary([1, 0]) } }
  const [blocks, confusion] = tables({ ...makeDocument(), cells: [mine, other] })
  assert.deepEqual(blocks.rows, [['spin', 'ok', 'missed'], ['pbkdf2', 'cause! 1/2', 'missed 1/2']])
  assert.deepEqual([confusion.head, confusion.rows], [['', 'js', 'native'], [['js', '2', '.'], ['native', '1', '1']]])
  assert.deepEqual(tables({ ...makeDocument(), cells: [] }), [])
})

test('the README of the scenario has every contestant with its packages', () => {
  const readme = fs.readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
  for (const [name, { packages }] of Object.entries(contestants)) for (const each of [name, ...packages]) assert.ok(readme.includes(`\`${each}\``), each)
})
