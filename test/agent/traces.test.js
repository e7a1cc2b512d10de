'use strict'

// runtime: async contexts
const { test } = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { eventually, startNode } = require('../support/app')
const { spansIn, startOtlpReceiver } = require('../support/lib/otlp')

const NAME = 'event_loop_blocked'

/** An application with OpenTelemetry in it. @param {import('node:test').TestContext} t @param {object} [options] */
async function startTraced (t, options = {}) {
  const app = startNode(t, ['traced-app.js'], {
    env: { TRACED_OPTIONS: JSON.stringify(options) }, stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const [{ url, port }] = await once(app.child, 'message')
  /** The application's own spans so far. @returns {Promise<any[]>} */
  const spans = async () => {
    const answered = once(app.child, 'message')
    app.child.send('spans')
    return (await answered)[0].spans
  }
  /** @returns {Promise<any[]>} */
  const blocks = async () => /** @type {any} */ (await (await fetch(`${url}/blocks`)).json())
  /** @param {string} path @param {Record<string, string>} [headers] */
  const get = (path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
  return { blocks, spans, get }
}

/** @param {[number, number]} time @returns {number} */
const toMs = ([seconds, nanos]) => seconds * 1000 + nanos / 1e6

test("a block is a span of the application's own provider, with its true times, as child of the innermost span", async (t) => {
  const { blocks, spans, get } = await startTraced(t)
  // On a busy machine the watchdog may come too late to see a span in a block.
  const all = await eventually(async () => {
    await get('/block?ms=300')
    return (await spans()).some(({ name }) => name === NAME) && spans()
  }, 'the span of a block')
  const span = all.find(({ name }) => name === NAME)
  const record = (await blocks()).find(({ id }) => id === span.attributes['loopwatch.block.id'])
  const inner = all.find(({ own }) => own.spanId === span.parent.spanId)
  assert.deepEqual([inner.name, inner.own.traceId, span.kind], ['work', span.own.traceId, 0])
  assert.ok(Math.abs(toMs(span.startTime) - Date.parse(record.startedAt)) < 1)
  assert.ok(Math.abs(toMs(span.endTime) - toMs(span.startTime) - record.durationMs) < 1)
  const { 'code.function.name': name, 'code.line.number': line, 'code.file.path': file, 'loopwatch.block.cause': cause } = span.attributes
  assert.deepEqual([name, line, file, cause], ['spin', record.frame.line, record.frame.file, record.cause])
  assert.equal(span.attributes['loopwatch.evidence.cpu_ms'], record.evidence.cpuMs)
})

test('a block in a span that is not sampled does not become a span', async (t) => {
  const { blocks, spans, get } = await startTraced(t)
  const { work } = await eventually(async () => {
    await get('/unsampled')
    return (await blocks()).find(({ work }) => work?.sampled === false)
  }, 'a block in a span that is not sampled')
  await eventually(async () => {
    await get('/block')
    return (await spans()).some(({ name }) => name === NAME)
  }, 'the span of another block')
  assert.ok((await spans()).every(({ own }) => own.traceId !== work.traceId))
})

test('the span of a block has links to the sampled requests that waited', async (t) => {
  const { spans, get } = await startTraced(t)
  const traceparents = [1, 2, 3].map((i) => `00-${'e'.repeat(32)}-${`${i}`.repeat(16)}-0${i === 3 ? 0 : 1}`)
  const span = await eventually(async () => {
    const blocked = get('/block?ms=1000')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await Promise.all([blocked, ...traceparents.map((traceparent) => get('/', { traceparent }))])
    return (await spans()).find(({ name, links }) => name === NAME && links.length > 0)
  }, 'the links')
  // A busy machine may read the other one so late that nobody knows whether it waited.
  const sampled = ['1'.repeat(16), '2'.repeat(16)]
  for (const { context } of span.links) {
    assert.ok(context.traceId === 'e'.repeat(32) && sampled.includes(context.spanId), JSON.stringify(context))
  }
})

test('with OTLP the watchdog sends the span, and the provider has none', async (t) => {
  const { got, url: otlp } = await startOtlpReceiver(t)
  const { spans, get } = await startTraced(t, { otlp })
  await eventually(async () => {
    await get('/block')
    return spansIn(got).some(({ name }) => name === NAME)
  }, 'the span')
  assert.deepEqual((await spans()).filter(({ name }) => name === NAME), [])
})
