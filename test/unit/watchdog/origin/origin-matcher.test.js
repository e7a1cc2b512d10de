'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { TRACKING, TRACK, ORIGIN } = require('../../../../lib/bridge/messages')
const { FrameTable } = require('../../../../lib/explain/source/frame-table')
const { Origins } = require('../../../../lib/watchdog/origin/origin-matcher')
const { makeRecord } = require('../../../support/record')

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

test('an operation of Node.js itself is not an origin, and its frames are left out before the application\'s', () => {
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
  origins.receive({ code: TRACKING, open: false, ended: 'budget', failure: null })
  assert.equal(origins.isTracking, false)
  assert.match(/** @type {any} */ (said.at(-1)).message, /off after 0 s, early: the time budget is used up: no slow callback/)
})

test('the watchdog asks the host for a window, and ends it', () => {
  const { origins, posted } = makeOrigins()
  const beat = (/** @type {number} */ second) =>
    origins.poll(second * 1000, {
      beats: second,
      atMs: second * 1000,
      activeMs: 0,
      idleMs: second * 1000,
      periodMs: 25
    })
  for (let second = 0; second < 7; second++) beat(second)
  for (let i = 0; i < 3; i++) origins.settled(makeRecord({ request: null }))
  // Blocks are dated by the real clock, which is far beyond these seconds.
  beat(7)
  assert.deepEqual(posted.map(({ code, open, seconds }) => [code, open, seconds]), [[TRACK, true, 10]])
})
