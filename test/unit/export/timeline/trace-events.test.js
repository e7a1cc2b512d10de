'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { eventsOf, writeTrace } = require('../../../../lib/export/timeline/trace-events')
const { rangeOf } = require('../../../../lib/export/timeline/answer')
const { makeRecord } = require('../../../support/record')
const { checkEvents, readTrace } = require('../../../support/trace-format')

const WALL_MS = Date.parse('2026-11-21T10:00:00.000Z')

/** @param {Partial<import('../../../../lib/export/timeline/trace-events').Trace>} [differences] */
const traceOf = (differences = {}) => ({
  pid: 4242,
  title: 'node 4242',
  wallOffsetMs: WALL_MS,
  fromMs: 0,
  toMs: 600000,
  completeSinceMs: -Infinity,
  requests: [],
  works: [],
  turns: [],
  pauses: [],
  counters: [],
  blocks: [],
  ...differences
})

test('every kind of span becomes events of the Trace Event format, by time', async () => {
  const trace = traceOf({
    requests: [
      { name: 'GET /a', status: 200, startMs: 10, durationMs: 50, waitedMs: 12.345 },
      { name: 'GET /a', status: 'aborted', startMs: 20, durationMs: 5, waitedMs: 0 },
      { name: 'GET /b', status: 304, startMs: 5, durationMs: 0, waitedMs: 0 }
    ],
    works: [{ name: 'email', kind: 'job', startMs: 15, durationMs: 30, waitedMs: 0 }],
    turns: [{ startMs: 30, durationMs: 7 }],
    pauses: [{ name: 'major', startMs: 40, durationMs: 3 }],
    counters: [{ name: 'loop delay (ms)', atMs: 0, values: { max: 3.14159, p99: null } }, { name: 'none', atMs: 0, values: { none: null } }],
    blocks: [makeRecord({}), makeRecord({ id: '4242-2', threadId: 3, thread: 'pool', frame: null, startedAt: '2026-11-21T10:00:01.000Z' })]
  })
  const events = readTrace(await writeTrace(trace))
  assert.deepEqual(events, JSON.parse(JSON.stringify(eventsOf(trace))))

  const begin = events.find(({ ph, name }) => ph === 'b' && name === 'GET /a')
  assert.deepEqual([begin?.ts, begin?.args], [(WALL_MS + 10) * 1000, { status: 200, blockedMs: 12.35 }])
  assert.equal(events.find(({ ph, id }) => ph === 'e' && id === begin?.id)?.ts, (WALL_MS + 60) * 1000)
  assert.deepEqual(events.filter(({ ph }) => ph === 'C').map(({ args }) => args), [{ max: 3.14 }])
  const [main, worker] = events.filter(({ cat }) => cat === 'block')
  assert.equal(main.name, 'report (js)')
  assert.equal(main.args?.line, 'report (/srv/app/report.js:41:13)')
  assert.deepEqual(main.args?.stack, ['test (native)', 'report (/srv/app/report.js:41:13)'])
  assert.equal(main.dur, 312400)
  assert.notEqual(worker.tid, main.tid)
  const named = events.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args?.name])
  assert.ok(named.some(([tid, name]) => tid === worker.tid && `${name}`.includes('pool')), JSON.stringify(named))
})

test('a worker of a cluster is a process of its own, and nothing at all is a file too', async () => {
  const events = eventsOf(traceOf({ blocks: [makeRecord({ pid: 77, worker: 1 })] }))
  checkEvents(events)
  assert.deepEqual(events.filter(({ name }) => name === 'process_name').map(({ pid }) => pid), [4242, 77])
  assert.equal(readTrace(await writeTrace(traceOf())).filter(({ ph }) => ph !== 'M').length, 0)
})

test('a file of many thousand events is whole', async () => {
  const requests = Array.from({ length: 6000 }, (_, i) => ({ name: 'GET /', status: 200, startMs: i, durationMs: 20, waitedMs: 0 }))
  assert.equal(readTrace(await writeTrace(traceOf({ requests }))).filter(({ ph }) => ph === 'b').length, 6000)
})

test('a trace names the time since which the rings are complete', async () => {
  const { otherData } = JSON.parse(await writeTrace(traceOf({ completeSinceMs: 1000 })))
  assert.equal(otherData.completeSince, new Date(WALL_MS + 1000).toISOString())
})

test('a range is of the last ten minutes; what cannot be one is a coded error that names it', () => {
  const of = (/** @type {Record<string, string>} */ query) => rangeOf(new URLSearchParams(query), WALL_MS)
  assert.deepEqual(of({}), { fromMs: WALL_MS - 600000, toMs: WALL_MS })
  assert.deepEqual(of({ from: '0', to: `${WALL_MS - 1}` }), { fromMs: WALL_MS - 600000, toMs: WALL_MS - 1 })
  assert.deepEqual(of({ from: `${WALL_MS - 5000}` }), { fromMs: WALL_MS - 5000, toMs: WALL_MS })
  for (const [query, name] of /** @type {[Record<string, string>, string][]} */ ([
    [{ from: 'now' }, 'from'], [{ from: '' }, 'from'], [{ from: '-1' }, 'from'], [{ from: 'NaN' }, 'from'], [{ to: 'Infinity' }, 'to'],
    [{ to: '1e300' }, 'to'], [{ from: '9'.repeat(400) }, 'from'], [{ from: `${WALL_MS}`, to: `${WALL_MS}` }, 'to'],
    [{ from: `${WALL_MS - 1}`, to: `${WALL_MS - 2}` }, 'to'], [{ from: `${WALL_MS + 3600000}` }, 'from'], [{ from: '1', to: '2' }, 'to']
  ])) {
    assert.throws(() => of(query), (/** @type {any} */ error) => error.code === 'LOOPWATCH_ERR_OPTION' && error.message.startsWith(`${name} takes `), JSON.stringify(query))
  }
})
