'use strict'

// runtime: async hooks
const test = require('node:test')
const assert = require('node:assert/strict')
const { TRACKING } = require('../../../../lib/bridge/messages')
const { sentenceOf } = require('../../../../lib/util/sentence')
const { OriginTracker } = require('../../../../lib/host/origin/tracker')
const { isHookSafe } = require('../../../../lib/host/runtime')
const { makeRecord } = require('../../../support/record')

test('hooks are refused where they could end the application (CVE-2025-59466)', async (t) => {
  for (const [version, safe] of /** @type {[string, boolean][]} */ ([
    ['18.20.8', false], ['20.19.5', false], ['20.20.0', true], ['21.7.3', false], ['22.21.1', false], ['22.22.0', true], ['23.11.0', false],
    ['24.0.0', false], ['24.12.0', false], ['24.13.0', true], ['25.2.1', false], ['25.3.0', true], ['26.0.0', true], ['26.10.0', true]
  ])) assert.equal(isHookSafe(version), safe, version)

  /** @type {any[]} */
  const sent = []
  const tracker = new OriginTracker({ origin: 'on', threshold: 50 }, (message) => sent.push(message), () => {}, '24.12.0')
  tracker.begin()
  const { found, refused } = await tracker.hunt(10, async () => {})
  assert.equal(found, 0)
  assert.match(`${refused}`, /24\.12\.0 has CVE-2025-59466/)
  assert.deepEqual(
    sent.map(({ code, open, failure }) => [code, open, failure]),
    Array(2).fill([TRACKING, false, refused])
  )
})

test('the sentence about a block says where its operation was created', () => {
  const frame = { function: 'plan', file: '/srv/jobs.js', line: 3, column: 17 }
  assert.equal(sentenceOf(makeRecord({ request: null, origin: { type: 'Timeout', durationMs: 300, frame, frames: [frame] } })),
    'event loop was blocked for 312 ms: report (app/report.js:41), created at plan (srv/jobs.js:3) (js)')
})

test('a block of an earlier version\'s file, without an origin, is described as well', () => {
  const { origin, ...earlier } = makeRecord()
  assert.equal(sentenceOf(/** @type {any} */ (earlier)), sentenceOf(makeRecord()))
})
