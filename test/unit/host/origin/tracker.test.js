'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { TRACKING, TRACK, ORIGIN } = require('../../../../lib/bridge/messages')
const { FrameTable } = require('../../../../lib/explain/frame-table')
const { sentenceOf } = require('../../../../lib/export/log/sentence')
const { OriginTracker } = require('../../../../lib/host/origin/tracker')
const { isHookSafe } = require('../../../../lib/host/runtime')
const { Origins } = require('../../../../lib/watchdog/origin/matcher')
const { makeRecord } = require('../../../support/record')

test('hooks are refused where they could end the application (CVE-2025-59466)', async (t) => {
  for (const [version, safe] of /** @type {[string, boolean][]} */ ([
    ['18.20.8', false], ['20.19.5', false], ['20.20.0', true], ['21.7.3', false], ['22.21.1', false], ['22.22.0', true], ['23.11.0', false],
    ['24.0.0', false], ['24.12.0', false], ['24.13.0', true], ['25.2.1', false], ['25.3.0', true], ['26.0.0', true], ['26.10.0', true]
  ])) assert.equal(isHookSafe(version), safe, version)

  /** @type {any[]} */
  const sent = []
  const tracker = new OriginTracker({ origin: 'on', threshold: 50 }, (message) => sent.push(message), '24.12.0')
  tracker.begin()
  const { found, refused } = await tracker.hunt(10)
  assert.equal(found, 0)
  assert.match(`${refused}`, /24\.12\.0 has CVE-2025-59466/)
  assert.deepEqual(sent.map(({ code, open, failure }) => [code, open, failure]), Array(2).fill([TRACKING, false, refused]))
})

/** The watchdog's side on a made-up host. */
function makeOrigins () {
  /** @type {any[]} */
  const said = []
  /** @type {any[]} */
  const posted = []
  const origins = new Origins({
    isAuto: true,
    frames: new FrameTable((frame) => frame),
    post: (message) => posted.push(message),
    say: (level, fields, message) => said.push({ level, ...fields, message }),
    onState: (failure) => said.push({ failure })
  })
  const tell = (/** @type {number} */ startMs, /** @type {number} */ endMs, /** @type {string} */ file, name = 'plan') =>
    origins.receive({ code: ORIGIN, startMs, endMs, type: 'Timeout', frames: [{ function: name, file, line: 1, column: 1 }] })
  return { origins, said, posted, tell }
}

test('a block gets the origin of the callback that made most of it, the innermost of those around one another', () => {
  const { origins, tell } = makeOrigins()
  tell(100, 160, '/srv/first.js')
  tell(160, 400, '/srv/inner.js')
  tell(159, 401, '/srv/outer.js')
  assert.equal(origins.within(95, 405)?.frame.file, '/srv/inner.js')
  assert.equal(origins.within(98, 165)?.frame.file, '/srv/first.js')
  assert.equal(origins.within(500, 600), null)
  assert.equal(origins.within(300, 800), null, 'too little of it')
})

test('operations of Node\'s own are no origin, and their frames are left out before the application\'s', () => {
  const { origins, tell } = makeOrigins()
  tell(0, 100, 'node:_http_server')
  assert.equal(origins.within(0, 100), null)
  origins.receive({ code: ORIGIN, startMs: 0, endMs: 100, type: 'Timeout', frames: ['node:internal/timers', 'node:timers', '/srv/node_modules/queue/index.js', '/srv/jobs.js', 'node:events'].map((file) => ({ function: 'f', file, line: 1, column: 1 })) })
  const origin = origins.within(0, 100)
  assert.deepEqual(origin?.frames.map(({ file }) => file), ['/srv/node_modules/queue/index.js', '/srv/jobs.js', 'node:events'])
  assert.equal(origin?.frame.file, '/srv/jobs.js')
})

test('origins without end take bounded memory, the latest stay', () => {
  const { origins, tell } = makeOrigins()
  for (let i = 0; i < 1000; i++) tell(i * 10, i * 10 + 10, '/srv/jobs.js')
  assert.equal(origins.within(0, 10), null)
  assert.ok(origins.within(9990, 10000))
})

test('what the host says of its windows is logged, and unknown messages are let go', () => {
  const { origins, said } = makeOrigins()
  origins.receive({ code: 99 })
  origins.receive({ code: TRACKING, open: false, ended: 'time', failure: null })
  assert.deepEqual(said, [])
  origins.receive({ code: TRACKING, open: true, reason: 'auto', seconds: 10, why: '3 blocks', failure: null })
  assert.equal(origins.isTracking, true)
  origins.receive({ code: TRACKING, open: false, ended: 'load', failure: null })
  assert.equal(origins.isTracking, false)
  assert.match(/** @type {any} */ (said.at(-1)).message, /off after 0 s, early, because tracking kept the event loop busy \(utilization above 0\.8\): no slow callback/)
})

test('the watchdog asks the host for a window, and ends it', () => {
  const { origins, posted } = makeOrigins()
  const beat = (/** @type {number} */ second) => origins.look(second * 1000, { beats: second, atMs: second * 1000, activeMs: 0, idleMs: second * 1000, periodMs: 25 })
  for (let second = 0; second < 7; second++) beat(second)
  for (let i = 0; i < 3; i++) origins.settled(makeRecord({ request: null }))
  // Blocks are dated by the real clock, which is far beyond these seconds.
  beat(7)
  assert.deepEqual(posted.map(({ code, open, seconds }) => [code, open, seconds]), [[TRACK, true, 10]])
})

test('the sentence about a block says where its operation was created', () => {
  const frame = { function: 'plan', file: '/srv/jobs.js', line: 3, column: 17 }
  assert.equal(sentenceOf(makeRecord({ request: null, origin: { type: 'Timeout', durationMs: 300, frame, frames: [frame] } })),
    'event loop was blocked for 312 ms: report (report.js:41), created at plan (jobs.js:3) (js)')
})

test('a block of an earlier version\'s file, without an origin, is described as well', () => {
  const { origin, ...earlier } = makeRecord()
  assert.equal(sentenceOf(/** @type {any} */ (earlier)), sentenceOf(makeRecord()))
})
