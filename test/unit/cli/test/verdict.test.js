'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { limit } = require('../../../../lib/cli/common/flags')
const { offencesOf } = require('../../../../lib/cli/test/offences')
const { testOf } = require('../../../../lib/cli/test/runs')
const { judge, judgeAll } = require('../../../../lib/cli/test/verdict')
const { makeRecord } = require('../../../support/record')

const START_MS = Date.parse('2026-11-21T10:00:00.000Z')
const LIMITS = { overMs: 50, all: false, hasCpuTimes: true, cwd: '/srv/app' }

/** @param {number} startMs @param {number} endMs @param {string} [name] */
const interval = (startMs, endMs, name = 'reads') => ({ name, file: '/srv/app/test/a.test.js', startMs: START_MS + startMs, endMs: START_MS + endMs })

/** @param {Partial<import('../../../../lib/cli/test/runs').ProcessRun>} [differences] */
const makeRun = (differences) => ({
  pid: 4242,
  argv: ['/usr/bin/node', '/srv/app/test/a.test.js'],
  execArgv: [],
  cwd: '/srv/app',
  isWatched: true,
  isMetered: true,
  isNodeTest: true,
  startMs: START_MS - 1000,
  stretches: [{ startMs: START_MS, endMs: START_MS + 300, cpuMs: 120 }],
  sourceMaps: new Map(),
  tests: [interval(0, 300)],
  syncCalls: [],
  ...differences
})

/** @param {Parameters<typeof makeRecord>[0]} [differences] */
const block = (differences) =>
  makeRecord({ startedAt: new Date(START_MS).toISOString(), durationMs: 300, ...differences })

const evidence = block().evidence

/** @param {...(string | null)} files innermost first */
const stack = (...files) => [{ count: 1, weightMs: 100, frames: files.map((file) => ({ function: 'f', file, line: 1, column: 1 })) }]

test('a limit is a length of time', () => {
  assert.deepEqual(['50ms', '50', '0.1s', '2s'].map(limit), [50, 50, 100, 2000])
  for (const text of ['', 'soon', '50 ms', '19ms', '-1s', '61s', '2m', 'NaN']) {
    assert.throws(() => limit(text), { code: 'LOOPWATCH_ERR_OPTION', message: /--over takes a time from 20ms to 60s, got/ }, text)
  }
})

test('CPU time that the thread has counted is what a block is judged by', () => {
  assert.deepEqual([judge(block(), makeRun(), LIMITS).excuse, judge(block(), makeRun(), LIMITS).ownMs], [null, 120])
  // The watchdog's own figure, of a busy machine, does not count.
  const few = makeRun({ stretches: [{ startMs: START_MS, endMs: START_MS + 300, cpuMs: 49 }] })
  assert.equal(judge(block(), few, LIMITS).excuse, 'less CPU time than the limit')
  assert.equal(judge(block(), makeRun({ stretches: [] }), LIMITS).excuse, 'less CPU time than the limit')
})

test('a thread that waited for a CPU is judged by what it had of it', () => {
  const starved = block({ cause: 'starved' })
  assert.equal(judge(starved, makeRun(), LIMITS).excuse, null)
  assert.equal(judge(starved, makeRun({ stretches: [] }), LIMITS).excuse, 'starved')
  assert.equal(judge(starved, makeRun({ stretches: [] }), { ...LIMITS, hasCpuTimes: false }).excuse, 'starved')
  assert.equal(offencesOf([judge(starved, makeRun(), LIMITS)], '/srv/app')[0].cause, 'js')
})

test('pauses of the collector are not the code\'s', () => {
  assert.equal(judge(block({ cause: 'gc', evidence: { ...evidence, gcMs: 200 } }), makeRun(), LIMITS).excuse, 'gc')
  // 120 of 300 ms on the CPU: of 100 ms of pauses 40.
  assert.equal(judge(block({ evidence: { ...evidence, gcMs: 100 } }), makeRun(), LIMITS).ownMs, 80)
})

test('a killed process, a worker thread and a system without CPU times are judged by what there is', () => {
  const none = makeRun({ stretches: [] })
  assert.equal(judge(block({ ongoing: true }), none, LIMITS).excuse, null)
  assert.equal(judge(block({ thread: 'pool', threadId: 3 }), none, LIMITS).excuse, null)
  const unknown = block({ evidence: { ...evidence, cpuMs: null } })
  assert.equal(judge(unknown, makeRun({ stretches: [], isMetered: false }), LIMITS).excuse, 'less CPU time than the limit')
  assert.equal(
    judge(unknown, makeRun({ stretches: [], isMetered: false }), { ...LIMITS, hasCpuTimes: false }).ownMs,
    300
  )
})

test('startup, loading, runners and compilers count only with --all', () => {
  const app = '/srv/app/lib/a.js'
  const cases = /** @type {const} */ ([
    ['startup', block({ startedAt: new Date(START_MS - 500).toISOString() }), makeRun({ stretches: [{ startMs: START_MS - 500, endMs: START_MS - 200, cpuMs: 200 }] })],
    ['startup', block({ startup: true }), makeRun({ tests: [] })],
    ['runner or compiler', block({ package: { name: '@babel/core', version: null, bugs: null } }), makeRun()],
    ['runner or compiler', block({ stacks: stack('/srv/app/node_modules/mocha/lib/runner.js') }), makeRun({ tests: [interval(-200, -100)] })],
    ['runner or compiler', block({ stacks: stack(app, 'node:internal/modules/cjs/loader', app) }), makeRun()],
    ['loading', block({ stacks: [...stack(app), { ...stack(null, 'node:internal/modules/esm/module_job')[0], weightMs: 200 }] }), makeRun()]
  ])
  for (const [excuse, record, run] of cases) {
    assert.equal(judge(record, run, LIMITS).excuse, excuse)
    assert.equal(judge(record, run, { ...LIMITS, all: true }).excuse, null, excuse)
  }
  assert.equal(judge(block({ stacks: stack('/srv/app/node_modules/lodash/lodash.js') }), makeRun(), LIMITS).excuse, null)
  assert.equal(judge(block({ stacks: stack('/srv/app/node_modules/lodash/lodash.js', app, '/srv/app/node_modules/mocha/lib/runner.js') }), makeRun(), LIMITS).excuse, null)
  // A runner may call a test while the test's file is loading; a test may load modules itself.
  const tap = ['/srv/app/node_modules/@tapjs/test/dist/test.js', '/srv/app/test/a.test.js', 'node:internal/modules/cjs/loader']
  assert.equal(judge(block({ stacks: stack(app, ...tap) }), makeRun(), LIMITS).excuse, null)
  assert.equal(judge(block({ stacks: stack(app, 'node:internal/modules/cjs/loader', ...tap) }), makeRun(), LIMITS).excuse, 'runner or compiler')
})

test('a block in a named test is that test\'s, whether or not its line is known', () => {
  const unknown = block({ frame: null, package: null, stacks: [], cause: 'unknown' })
  const [offence] = offencesOf([judge(unknown, makeRun(), LIMITS)], '/srv/app')
  assert.deepEqual(
    [offence.function, offence.within, offence.file, offence.line],
    ['unknown function', 'reads', 'test/a.test.js', null]
  )
  const mocha = { ...stack('/srv/app/node_modules/mocha/lib/runner.js')[0].frames[0], exact: false, fromProfile: false }
  const returned = block({ frame: mocha, stacks: stack(mocha.file), cause: 'native' })
  assert.equal(offencesOf([judge(returned, makeRun(), LIMITS)], '/srv/app')[0].function, 'unknown function')
  const between = makeRun({ tests: [interval(-200, -100)] })
  assert.equal(judge(unknown, between, LIMITS).excuse, 'no stack taken')
  const ofFile = makeRun({ tests: [{ ...interval(0, 300), name: null }] })
  assert.equal(judge(unknown, ofFile, LIMITS).excuse, 'no stack taken')
})

test('a stack that is nobody\'s does not turn a running test into loading', () => {
  const app = '/srv/app/lib/a.js'
  const runner = 'node:internal/test_runner/test'
  const mark = path.join(__dirname, '../../../../lib/cli/test/inside/recorder.js')
  const spun = stack(app, runner)
  for (const last of [stack(mark, '/srv/app/node_modules/mocha/lib/runner.js'), stack('node:async_hooks', runner), stack(null), stack('/srv/app/node_modules/jest-circus/run.js')]) {
    const record = block({ stacks: [...spun, ...last.map((each) => ({ ...each, weightMs: 200 }))] })
    assert.equal(judge(record, makeRun(), LIMITS).ownMs, 120)
    assert.equal(judge(record, makeRun({ tests: [interval(-200, -100)] }), LIMITS).excuse, 'loading')
  }
  // With top-level await, the loader awaits the test.
  const awaited = block({ stacks: stack(app, runner, '/srv/app/test/a.test.mjs', 'node:internal/modules/esm/module_job') })
  assert.equal(judge(awaited, makeRun(), LIMITS).excuse, null)
})

test('a block belongs to the test in which it mostly fell, and only for as long', () => {
  const tests = [interval(0, 40, 'first'), interval(40, 260, 'second'), interval(260, 300, 'third')]
  assert.equal(testOf(tests, START_MS, START_MS + 300)?.test.name, 'second')
  assert.equal(testOf(tests, START_MS + 400, START_MS + 500), null)
  const short = makeRun({ tests: [interval(0, 45), interval(45, 90)] })
  assert.equal(judge(block(), short, LIMITS).excuse, 'below the limit in each test')
  // One that did not end was running to the last.
  assert.equal(testOf([interval(0, Infinity)], START_MS, START_MS + 300)?.overlapMs, 300)
})

test('the inner of a test and its subtest is named, with how many ran at once', () => {
  assert.deepEqual(testOf([interval(0, 500, 'outer'), interval(0, 500, 'inner')], START_MS, START_MS + 300),
    { test: interval(0, 500, 'inner'), overlapMs: 300, others: 1 })
})

test('one turn of the loop is charged once', () => {
  const judged = judgeAll([block({ id: '1', durationMs: 60 }), block({ id: '2', durationMs: 200 })], [makeRun()], LIMITS)
  assert.deepEqual(judged.map(({ excuse }) => excuse), ['part of another', null])
})

test('blocks of one function are one place, with the tests in which it blocked', () => {
  const run = makeRun({ tests: [interval(0, 300, 'a'), interval(1000, 1300, 'b')], stretches: [{ startMs: START_MS, endMs: START_MS + 300, cpuMs: 80 }, { startMs: START_MS + 1000, endMs: START_MS + 1300, cpuMs: 140 }] })
  const records = [block(), block({ id: '2', startedAt: new Date(START_MS + 1000).toISOString() })]
  const [offence, ...others] = offencesOf(judgeAll(records, [run], LIMITS), '/srv/app')
  assert.deepEqual(others, [])
  assert.deepEqual([offence.function, offence.file, offence.line, offence.longestMs, offence.count], ['report', 'report.js', 41, 140, 2])
  assert.deepEqual(offence.tests.map(({ file, name }) => `${file} ${name}`), ['test/a.test.js b', 'test/a.test.js a'])
})
