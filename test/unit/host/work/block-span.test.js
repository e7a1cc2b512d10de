'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { writeBlockSpan } = require('../../../../lib/host/work/block-span')

const kApi = Symbol.for('opentelemetry.js.api.1')
const registry = /** @type {Record<symbol, unknown>} */ (/** @type {unknown} */ (globalThis))

const span = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), parentSpanId: '2'.repeat(16), name: 'event_loop_blocked', startMs: 1000, endMs: 1300, attributes: {}, links: [] }

test('a provider that is missing, broken or none at all is nothing to the application', (t) => {
  t.after(() => { delete registry[kApi] })
  const boom = () => { throw new Error('boom') }
  const context = { active: () => ({ setValue: () => ({}) }) }
  const apis = [
    undefined, null, 1, {}, { trace: {} }, { trace: { getTracer: boom }, context },
    { trace: { getTracer: () => ({}) }, context }, { trace: { getTracer: () => ({ startSpan: boom }) }, context },
    { trace: { getTracer: () => ({ startSpan: () => ({ end: boom }) }) }, context }
  ]
  for (const api of apis) {
    registry[kApi] = api
    assert.doesNotThrow(() => writeBlockSpan(span))
  }
})
