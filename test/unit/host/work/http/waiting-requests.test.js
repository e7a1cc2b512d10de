'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { WaitingRequests } = require('../../../../../lib/host/work/http/waiting-requests')

const TRACEPARENT = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`

/** @param {number} startedAtMs @param {{ traceparent?: any, hasWaited?: boolean }} [differences] @returns {any} */
const contextOf = (startedAtMs, { traceparent = TRACEPARENT, hasWaited = false } = {}) =>
  ({ id: 1, startedAtMs, hasWaited, request: { rawHeaders: ['Host', 'x', 'TraceParent', traceparent] } })

function make () {
  /** @type {any[]} */
  const posted = []
  return { posted, waiting: new WaitingRequests((message) => posted.push(message), true) }
}

test('a sampled request that a block delayed is posted with its caller', () => {
  const { posted, waiting } = make()
  waiting.ended(contextOf(900), 950)
  waiting.late(1000)
  waiting.ended(contextOf(900), 1010)
  waiting.ended(contextOf(1001, { hasWaited: true }), 1010)
  assert.deepEqual(posted.map(({ startMs, endMs, traceId, spanId }) => [startMs, endMs, traceId, spanId]),
    [[900, 1010, 'a'.repeat(32), '1'.repeat(16)], [1001, 1010, 'a'.repeat(32), '1'.repeat(16)]])
})

test('one that came later, ends much later, is not sampled or makes no sense is not', () => {
  const { posted, waiting } = make()
  waiting.late(1000)
  waiting.ended(contextOf(1001), 1010)
  waiting.ended(contextOf(900), 3000)
  for (const traceparent of [TRACEPARENT.replace(/01$/, '00'), '', '00', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, TRACEPARENT.toUpperCase().replace('1111', 'XYZW'), undefined, null]) {
    waiting.ended(contextOf(900, { traceparent: traceparent ?? '' }), 1010)
  }
  waiting.ended({ ...contextOf(900), request: null }, 1010)
  assert.deepEqual(posted, [])
})

test('one block posts at most as many requests as a span has links, and none without OpenTelemetry', () => {
  const { posted, waiting } = make()
  waiting.late(1000)
  for (let i = 0; i < 100; i++) waiting.ended(contextOf(900), 1010)
  assert.equal(posted.length, 32)
  waiting.late(2000)
  waiting.ended(contextOf(900), 2010)
  assert.equal(posted.length, 33)
  const off = new WaitingRequests((message) => posted.push(message), false)
  off.late(1000)
  off.ended(contextOf(900), 1010)
  assert.equal(posted.length, 33)
})
