'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { verdictOf } = require('../../../lib/cli/diagnose/verdict')
const { makeRecord } = require('../../support/record')

const START_MS = Date.UTC(2026, 10, 21, 10)
let ids = 0

/** @param {number} ms since the start */
const timeAt = (ms) => new Date(START_MS + ms).toISOString()

/**
 * @param {import('../../../lib/tables/causes').Cause} cause @param {number} durationMs @param {string} [name]
 * @param {Partial<import('../../../lib/types').BlockRecord>} [rest]
 */
const block = (cause, durationMs, name = 'report', rest = {}) => makeRecord({
  id: `1-${++ids}`, cause, durationMs, frame: { function: name, file: '/srv/app/report.js', line: 41, column: 13, exact: true }, ...rest
})
const slow = { requests: 9, failed: 0, refused: 0, statuses: new Map(), timedOut: 0, p50Ms: 300, p99Ms: 400 }

/**
 * The verdict on a run of ten seconds.
 * @param {ReturnType<typeof block>[]} blocks newest first @param {Partial<Parameters<typeof verdictOf>[0]>} [run]
 * @param {Partial<Parameters<typeof verdictOf>[0]['recording']>} [recording]
 */
const verdict = (blocks, run = {}, recording = {}) => verdictOf({
  recording: { blocks, details: {}, metrics: '', recordedAt: timeAt(10000), ...recording }, sinceMs: null, startMs: START_MS, load: null, ...run
})
/** @param {number} active @param {number} idle seconds */
const timesOf = (active, idle) => ({
  metrics: [['main', 'active', active], ['main', 'idle', idle], ['pool', 'idle', 100]]
    .map(([thread, state, s]) => `loopwatch_eventloop_time_seconds_total{thread="${thread}",state="${state}"} ${s}\n`).join('')
})

test('the functions that block are a table, and each of the heaviest has advice of its longest block', () => {
  const [short, long, other, light] = [block('js', 300), block('js', 500), block('native', 200, 'load'), block('js', 20, 'light')]
  const details = { [long.id]: { source: null, advice: [{ kind: 'sort', text: 'Sort once.', doc: '' }], waits: null } }
  const { text, tool } = verdict([short, long, other, light], {}, { details })
  assert.match(text, /^The event loop was blocked for 10% of 10\.0 s\.\n\n4 blocks, 1\.0 s in all\n\n {2}place +work +cause/)
  assert.match(text, /^ {2}report \(app\/report\.js:41\) +GET \/report\/:id +js +2 +800 ms +78% +500 ms\n/m)
  assert.match(text, /^report \(app\/report\.js:41\): application JavaScript .*\(js\)\n- Sort once\.\n$/m)
  assert.match(text, /^load \(app\/report\.js:41\): a native call .*\(native\)\n- .*worker thread/ms, 'what the document of its cause says')
  assert.doesNotMatch(text, /^light/m, 'which has less than a tenth')
  assert.equal(tool, 'flame')
})

test('of many functions, none of which has a tenth, the heaviest has advice', () => {
  const blocks = Array.from({ length: 12 }, (_, i) => block('js', 300 + i, `f${i}`))
  assert.equal(verdict(blocks).tool, 'flame')
})

test('the tool that is suggested fits the heaviest culprit', () => {
  assert.equal(verdict([block('js', 400), block('gc', 500, 'other')]).tool, 'heapprofiler')
  assert.equal(verdict([block('starved', 800), block('js', 60)]).tool, null)
})

test('a loop that is hardly blocked is not to blame; slow requests then wait for something outside, unless the loop is busy', () => {
  const calm = verdict([block('js', 100)])
  assert.deepEqual([calm.text, calm.tool], ['Nothing is wrong with the event loop: it was blocked for 1.0% of 10.0 s.\n', null])
  const waits = verdict([], { load: slow }, timesOf(1, 9))
  assert.match(waits.text, /^Requests do not wait for the event loop, which was blocked for 0\.0% of 10\.0 s\..*\n\n- Look at the longest waits in bubbleprof.*docs slow-without-a-block\n$/s)
  assert.equal(waits.tool, 'bubbleprof')
  assert.match(verdict([], { load: slow }, timesOf(9, 1)).text, /^Nothing is wrong/, 'slow because it works, in short turns')
})

test('one function that many requests call in one turn is to blame, several are not', () => {
  const many = 'No single one is to blame.'
  const [one, ...several] = ['a', 'a', 'b', 'c'].map((name) => block('many', 300, name))
  const details = Object.fromEntries([one, ...several].map(({ id }) => [id, { source: null, advice: [{ kind: 'many', text: many, doc: '' }], waits: null }]))
  assert.match(verdict([one], {}, { details }).text, /^a \(app\/report\.js:41\): application JavaScript .*\(js\)\n- (?!No single)/m)
  assert.match(verdict(several, {}, { details }).text, /^a \(app\/report\.js:41\): one long turn .*\(many\)\n- No single one is to blame\.$/m)
})

test('a block before the application listened does not count in the verdict, nor does one of a worker thread', () => {
  const startup = { startup: true, startedAt: timeAt(0) }
  const sinceMs = START_MS + 1000
  const later = { startedAt: timeAt(2000) }
  /** @type {[ReturnType<typeof block>, number | null, boolean][]} */
  const cases = [
    [block('js', 900, 'f', startup), sinceMs, false],
    [block('js', 900, 'f', startup), null, false],
    [block('js', 900, 'f', { ...startup, ...later }), sinceMs, true],
    [block('js', 900, 'f', { ...startup, ongoing: true }), sinceMs, true],
    [block('js', 900, 'f', { ...later, threadId: 3 }), sinceMs, false]
  ]
  for (const [each, since, isBurden] of cases) {
    assert.equal(verdict([each], { sinceMs: since }).text.startsWith('The event loop was blocked'), isBurden, JSON.stringify([each, since]))
  }
})

test('the share in a long run is that of the time whose blocks the agent still had', () => {
  const blocks = Array.from({ length: 1000 }, (_, i) => block('js', 60, 'f', { startedAt: timeAt((1000 - i) * 100) }))
  const { text } = verdict(blocks, { sinceMs: START_MS - 3600e3 }, { recordedAt: timeAt(100100) })
  assert.match(text, /^The event loop was blocked for 60% of 100\.0 s, the time of the latest 1000 blocks\./)
})

test('the verdict reports a load that was hardly served', () => {
  const load = { ...slow, p50Ms: 1, refused: 9, statuses: new Map([[404, 9]]) }
  const fault = /\. In this run the application answered 404 to 9 of 9 requests \(.*\)\.$/m
  assert.match(verdict([], { load }).text, fault)
  assert.match(verdict([block('js', 900)], { load }).text, fault)
})
