'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { makePretty, telling } = require('../../../../lib/export/log/pretty')

const line = {
  level: 40,
  time: new Date(2026, 10, 22, 9, 5, 3, 7).getTime(),
  event: 'settled',
  cause: 'js',
  durationMs: 503.2,
  samples: 12,
  parts: { js: 390.4, native: 0, gc: 60, asleep: 0, waiting: 52.8, stopped: 0, unexplained: 0 },
  evidence: { cpuMs: 74, gcMs: 291 },
  stack: ['map (native)', 'rank (/app/lib/rank.js:3:9)', 'next (/app/node_modules/express/lib/router.js:1:2)', 'handler (/app/server.js:8:1)', 'emit (node:events:1:1)'],
  msg: 'event loop was blocked for 503 ms: rank (rank.js:3), GET /orders (js)'
}

test('a finished block has why, where and the parts of its time below its sentence, the stack down to the application', () => {
  const text = makePretty({ hasColors: false, cwd: '/app' })(JSON.stringify(line))
  assert.equal(text, `[09:05:03.007] WARN  ${line.msg}
    why: application JavaScript kept the CPU busy
         390 ms JavaScript, 60 ms garbage collection, 53 ms waiting for a CPU, 12 stack samples
    at map (native)
    at rank (lib/rank.js:3:9)
    at next (node_modules/express/lib/router.js:1:2)
    at handler (server.js:8:1)
`)
})

test('a finished block whose stack lacks the concluded line has it next to its function, or before the stack', () => {
  const rowsOf = (/** @type {object} */ more) =>
    makePretty({ hasColors: false, cwd: '/app' })(JSON.stringify({ ...line, ...more })).split('\n').slice(3, 6)
  const frame = { function: 'rank', file: '/app/lib/rank.js', line: 5, column: 1, exact: true }
  assert.deepEqual(rowsOf({ frame }).slice(0, 2), ['    at map (native)', '    at rank (lib/rank.js:3:9), concluded: line 5'])
  assert.deepEqual(rowsOf({ frame: { ...frame, line: 3 } }).slice(0, 2), ['    at map (native)', '    at rank (lib/rank.js:3:9)'])
  assert.deepEqual(rowsOf({ frame: { ...frame, function: 'sum', exact: false } }).slice(0, 2), ['    concluded: ≈ sum (lib/rank.js:5:1)', '    at map (native)'])
  assert.deepEqual(rowsOf({ frame, stackFrom: 'profile' }).slice(0, 2), ['    by the CPU profile, callers where they begin:', '    at map (native)'])
})

test('a block of loopwatch itself is not explained by code of the application', () => {
  const own = { ...line, level: 50, evidence: { ...line.evidence, ownMs: 400 } }
  const [, ...below] = makePretty({ hasColors: false })(JSON.stringify(own)).trimEnd().split('\n')
  assert.deepEqual(below, ['    why: loopwatch itself blocked the thread; please report this'])
})

test('blocks in progress, at startup and without anybody to blame are one line', () => {
  const pretty = makePretty({ hasColors: false })
  for (const differences of [{ event: 'opened' }, { event: 'lasting' }, { level: 30 }, { level: 30, cause: 'starved', excused: true }]) {
    const text = pretty(JSON.stringify({ ...line, ...differences }))
    assert.equal(text.split('\n').length, 2, JSON.stringify(differences))
  }
})

test('a block that is stuck is shown with every stack', () => {
  const frame = { function: 'spin', file: '/app/app.js', line: 3, column: 5 }
  const record = { cause: 'js', samples: 9, durationMs: 500, evidence: { nativeMs: 0 }, frame: { ...frame, exact: true }, stacks: [{ count: 7, weightMs: 1, frames: [frame] }, { count: 2, weightMs: 1, frames: [{ ...frame, function: null }] }] }
  const text = makePretty({ hasColors: false, cwd: '/app' })(JSON.stringify({ ...line, event: 'stuck', level: 50, record }))
  assert.equal(text, `[09:05:03.007] ERROR ${line.msg}
    why: application JavaScript kept the CPU busy
    7 of 9 stack samples:
      at spin (app.js:3:5)
    2 of 9 stack samples:
      at (anonymous) (app.js:3:5)
`)
})

test('names give no orders to a terminal', () => {
  const text = makePretty({ hasColors: false })(JSON.stringify({ ...line, msg: 'a\u001b[2Jb', stack: ['x\u001b]0;y\u0007 (/app/a.js:1:1)'] }))
  assert.ok(!text.includes('\u001b') && !text.includes('\u0007'), JSON.stringify(text))
})

test('text that is not a line of pino is printed unchanged', () => {
  const pretty = makePretty({ hasColors: true })
  for (const text of ['plain text\n', '17\n', 'null\n', '']) assert.equal(pretty(text), text)
  assert.match(pretty('{"level":30,"time":0,"msg":"hello"}'), /INFO.*hello\n$/)
})

test('there are colours where they were asked for, and no others', () => {
  assert.ok(makePretty({ hasColors: true })(JSON.stringify(line)).includes('\u001b['))
  assert.ok(!makePretty({ hasColors: false })(JSON.stringify(line)).includes('\u001b['))
})

test('frames without a function name are read, too', () => {
  assert.deepEqual(telling(['at /app/a.js:1:2', 'at node:internal/timers:1:1']), ['at /app/a.js:1:2'])
  assert.deepEqual(telling(['at Module._compile (node:internal/modules:1:1)']), [])
})
