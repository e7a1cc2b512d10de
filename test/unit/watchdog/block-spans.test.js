'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockSpans } = require('../../../lib/watchdog/block-spans')
const { eventually } = require('../../support/app')
const { makeRecord } = require('../../support/record')

const TRACE = 'a'.repeat(32)
const PARENT = '2'.repeat(16)

/** A block in a sampled span. @param {Parameters<typeof makeRecord>[0]} [differences] */
const blockIn = (differences) => makeRecord({
  work: { kind: 'span', name: 'order', id: PARENT, parent: null, startedAt: null, attributes: {}, traceId: TRACE, spanId: PARENT, sampled: true, ended: false },
  ...differences
})

/** @param {{ writesOngoing?: boolean }} [options] */
function make ({ writesOngoing = true } = {}) {
  /** @type {import('../../../lib/types').BlockSpan[]} */
  const written = []
  const counts = { dropped: 0, nowMs: 0 }
  const spans = new BlockSpans({
    write: (span) => written.push(span),
    writesOngoing,
    onDropped: () => { counts.dropped++ },
    nowMs: () => counts.nowMs,
    waitMs: 1
  })
  return { spans, written, counts }
}

/** @param {number} id @param {number} startMs @param {number} endMs @param {boolean} [hasWaited] */
const request = (id, startMs, endMs, hasWaited = false) => ({ id, traceId: 'b'.repeat(32), spanId: `${id}`.repeat(16), startMs, endMs, hasWaited })

test('a block in a sampled span becomes a span with its true times and what is known of it', async () => {
  const { spans, written } = make()
  const record = blockIn({ package: { name: 'slow', version: '1.0.0', bugs: null } })
  spans.ended(record, { startMs: 100, endMs: 412, workIds: [] })
  spans.settled(record)
  await eventually(() => written.length === 1, 'the span')
  const [{ spanId, attributes, ...span }] = written
  assert.match(spanId, /^[0-9a-f]{16}$/)
  const startMs = Date.parse(record.startedAt)
  assert.deepEqual(span, { traceId: TRACE, parentSpanId: PARENT, name: 'event_loop_blocked', startMs, endMs: startMs + 312.4, links: [] })
  const { 'code.function.name': name, 'loopwatch.package.name': found, 'loopwatch.evidence.cpu_ms': cpuMs } = attributes
  assert.deepEqual([name, found, cpuMs], ['report', 'slow', 309])
})

test('without a span, or in one that is not sampled, there is none', () => {
  const { spans, written } = make()
  const { work } = blockIn()
  const none = { ...work, sampled: null, spanId: null }
  for (const other of [null, { ...work, sampled: false }, none, { ...work, traceId: null }]) {
    const record = blockIn({ work: /** @type {any} */ (other) })
    spans.ended(record, { startMs: 0, endMs: 1, workIds: [] })
    spans.lasting({ ...record, durationMs: 9000 })
    spans.settled(record)
  }
  spans.stop()
  assert.deepEqual(written, [])
})

test('links lead to the requests that waited, and not to the one that blocked', () => {
  const { spans, written } = make()
  spans.waited(request(1, 50, 90))
  spans.waited(request(2, 50, 500))
  spans.waited(request(3, 150, 500))
  spans.ended(blockIn(), { startMs: 100, endMs: 412, workIds: [3] })
  spans.settled(blockIn())
  spans.waited(request(4, 413, 414, true))
  spans.waited(request(5, 413, 414))
  spans.stop()
  assert.deepEqual(written[0].links.map(({ spanId }) => spanId[0]), ['2', '4'])
})

test('a long block is in the trace once before its end, where that can be sent', () => {
  const { spans, written } = make()
  for (const durationMs of [1000, 4000, 5001, 6000]) spans.lasting(blockIn({ ongoing: true, durationMs }))
  const [{ startMs, endMs, attributes }] = written
  assert.deepEqual([written.length, endMs - startMs, attributes['loopwatch.block.ongoing']], [1, 5001, true])
  spans.settled(blockIn({ durationMs: 7000 }))
  spans.stop()
  assert.deepEqual([written.length, written[1].spanId === written[0].spanId], [2, false])
  const silent = make({ writesOngoing: false })
  silent.spans.lasting(blockIn({ ongoing: true, durationMs: 6000 }))
  assert.deepEqual(silent.written, [])
})

test('at most so many a minute are written, the rest is counted', () => {
  const { spans, written, counts } = make()
  for (let i = 0; i < 100; i++) spans.settled(blockIn({ id: `1-${i}` }))
  spans.stop()
  assert.deepEqual([written.length, counts.dropped], [60, 40])
  counts.nowMs = 60_000
  spans.settled(blockIn({ id: '1-100' }))
  spans.stop()
  assert.deepEqual([written.length, counts.dropped], [61, 40])
})
