'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { HALF_OCTAVES_MS } = require('../../../../lib/bridge/delay-counts')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { Bins, FreshDelays, History, SECONDS } = require('../../../../lib/watchdog/page-feed/history')
const { FlameTree } = require('../../../../lib/export/profiles/flame-tree')
const { EventStreams, STREAMS } = require('../../../../lib/export/http/event-streams')
const { makeRecord } = require('../../../support/record')

/** Numbers that look random and are the same each time. @param {number} seed */
function random (seed) {
  return () => (seed = seed * 48271 % 2147483647) / 2147483647
}

/** @param {number[]} values @param {number} share */
const exactly = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1]

test('quantiles of a second and of all seconds are those of its values, to a bin', () => {
  const bins = new Bins({ seconds: 10, firstMs: 1, perOctave: 2 })
  const next = random(7)
  /** @type {number[]} */
  const all = []
  for (let second = 0; second < 10; second++) {
    const values = Array.from({ length: 500 }, () => 2 ** (next() * 12))
    for (const value of values) bins.add(second, value)
    all.push(...values)
    for (const share of [0.5, 0.99, 1]) {
      const ratio = /** @type {number} */ (bins.quantile(second, share)) / exactly(values, share)
      assert.ok(ratio > 0.7 && ratio < 1.42, `${share}: ${ratio}`)
    }
  }
  const ratio = /** @type {number} */ (bins.quantile(null, 0.99)) / exactly(all, 0.99)
  assert.ok(ratio > 0.7 && ratio < 1.42, `${ratio}`)
  assert.equal(bins.quantile(10, 0.5) === null, false, 'the ring comes round')
  bins.clear(10)
  assert.equal(bins.quantile(10, 0.5), null)
  assert.equal(bins.count(null), 4500)
})

test('values beyond every bin are counted in the outer ones', () => {
  const bins = new Bins({ seconds: 1, firstMs: 1, perOctave: 2 })
  for (const ms of [0, 1e-9, 1e12]) bins.add(0, ms)
  assert.equal(bins.count(0), 3)
  assert.ok(/** @type {number} */ (bins.quantile(0, 0)) <= 1)
  assert.ok(/** @type {number} */ (bins.quantile(0, 1)) > 500000)
})

test('new delays are the difference to those before, and each counts once', () => {
  const next = random(11)
  const { delays } = openBridge(createMemory())
  for (let i = 0; i < 300; i++) delays.record(2 ** (next() * 10))
  const fresh = new FreshDelays({ delays, boundsMs: new Bins({ seconds: 1, firstMs: 1, perOctave: 2 }).boundsMs })
  assert.deepEqual(fresh.take(), [])
  for (let round = 0; round < 5; round++) {
    const added = Array.from({ length: 40 }, () => 2 ** (next() * (round + 1) * 5 - 1))
    const bins = new Bins({ seconds: 1, firstMs: 1, perOctave: 2 })
    for (const value of added) {
      bins.add(0, value)
      delays.record(value)
    }
    const found = new Bins({ seconds: 1, firstMs: 1, perOctave: 2 })
    for (const [bin, count] of fresh.take()) found.addTo(0, bin, count)
    assert.equal(found.count(0), 40)
    for (const share of [0.1, 0.5, 0.9, 1]) {
      assert.equal(found.quantile(0, share), bins.quantile(0, share), `round ${round}, ${share}`)
    }
  }
})

test('the page bins delays by bounds that the host counts by', () => {
  assert.deepEqual(new History(0, { activeMs: 0, idleMs: 0 }).delayBoundsMs, HALF_OCTAVES_MS)
})

/** A history from second 1000 on, that is told totals. */
function makeHistory () {
  const loop = { activeMs: 0, idleMs: 0, inProgressMs: 0 }
  const history = new History(1000 * 1000, { ...loop })
  let second = 1000
  return {
    history,
    /**
     * @param {{ activeMs?: number, inProgressMs?: number, delays?: [number, number][] }} what has come in this second
     */
    pass: ({ activeMs = 100, inProgressMs = 0, delays = [[0, 40]] } = {}) => {
      loop.activeMs += activeMs
      loop.idleMs += 1000 - activeMs
      assert.ok(history.dueAtMs <= ++second * 1000)
      history.endSecond(second * 1000 + 20, { ...loop, inProgressMs }, delays)
      assert.equal(history.dueAtMs, (second + 1) * 1000)
    },
    skip: (/** @type {number} */ seconds) => { second += seconds }
  }
}

test('a second has its delay, utilization, requests and latency', () => {
  const { history, pass } = makeHistory()
  for (let i = 0; i < 50; i++) history.addRequest(20)
  pass({ activeMs: 250, delays: [[0, 39], [10, 1]] })
  const { delayP50, delayMax, utilization, requests, latencyP50 } = history.last
  assert.ok(/** @type {number} */ (delayP50) < 1)
  assert.equal(delayMax, 32)
  assert.deepEqual({ utilization, requests }, { utilization: 0.25, requests: 50 })
  assert.ok(/** @type {number} */ (latencyP50) > 16 && /** @type {number} */ (latencyP50) < 24)
  pass()
  assert.deepEqual([history.last.requests, history.last.latencyP50], [0, null])
  assert.equal(history.whole.requests, 50)
  assert.equal(history.seconds.length, 2)
})

test('while the loop is blocked the delay is at least as long as the block so far', () => {
  const { history, pass } = makeHistory()
  pass()
  pass({ activeMs: 1000, inProgressMs: 900, delays: [] })
  pass({ activeMs: 1000, inProgressMs: 1900, delays: [] })
  assert.deepEqual(history.seconds.map(({ delayMax }) => delayMax), [1, 900, 1900])
  assert.equal(history.last.utilization, 1)
  history.addBlock(2345.6)
  pass({ activeMs: 500, delays: [[0, 20], [23, 1]] })
  assert.equal(history.last.delayMax, 2345.6)
  assert.equal(history.whole.delayMax, 2345.6)
})

test('seconds in which nobody looked are empty, and ten minutes are all that is kept', () => {
  const { history, pass, skip } = makeHistory()
  pass()
  skip(2)
  pass()
  assert.deepEqual(history.seconds.map(({ utilization }) => utilization), [0.1, 0.1, null, null])
  for (let i = 0; i < 2 * SECONDS; i++) pass()
  assert.equal(history.seconds.length, SECONDS - 1)
  assert.ok(history.seconds.every(({ utilization }) => utilization === 0.1))
  skip(100 * SECONDS)
  pass()
  assert.equal(history.seconds.length, SECONDS - 1)
  assert.equal(history.whole.delayP50, null)
  assert.equal(history.whole.requests, null)
})

/** @param {string} name @param {string | null} file */
const frame = (name, file) => ({ function: name, file, line: 1, column: 1 })

test('stacks become one tree, callers first, weighted by blocked time', () => {
  const tree = new FlameTree()
  const handler = frame('handler', '/app/handler.js')
  tree.add(makeRecord({ durationMs: 40, stacks: [{ count: 2, weightMs: 30, frames: [frame('a', null), handler] }, { count: 1, weightMs: 10, frames: [frame('b', '/app/b.js'), handler] }] }))
  tree.add(makeRecord({ durationMs: 60, stacks: [{ count: 1, weightMs: 60, frames: [handler] }] }))
  assert.deepEqual(tree.toJSON(), {
    name: 'all',
    file: null,
    value: 100,
    children: [{
      name: 'handler app/handler.js:1',
      file: '/app/handler.js',
      value: 100,
      children: [{ name: 'a', file: null, value: 30, children: [] }, { name: 'b app/b.js:1', file: '/app/b.js', value: 10, children: [] }]
    }]
  })
})

test('a tree of 500 blocks with ten deep stacks each, none alike, stays bounded', () => {
  const tree = new FlameTree()
  for (let block = 0; block < 500; block++) {
    const stacks = Array.from({ length: 10 }, (_, i) => ({ count: 1, weightMs: 10, frames: Array.from({ length: 60 }, (_, depth) => frame(`f${block}-${i}-${depth}`, '/app/a.js')) }))
    tree.add(makeRecord({ durationMs: 100, stacks }))
  }
  const json = JSON.stringify(tree)
  assert.ok(json.length < 1e6, `${json.length}`)
  assert.equal(JSON.parse(json).value, 50000)
})

test('streams are bounded, and who does not read is let go', () => {
  let isEmpty = false
  const streams = new EventStreams(() => { isEmpty = true })
  /** @type {any[]} */
  const responses = []
  for (let i = 0; i < STREAMS; i++) {
    const response = /** @type {any} */ (Object.assign(new (require('node:events').EventEmitter)(), {
      writableLength: 0, text: '', write (/** @type {string} */ text) { this.text += text }, destroy () { /** @type {any} */ (this).emit('close') }
    }))
    responses.push(response)
    streams.connect(() => [['hello', { i }]]).stream?.(response)
  }
  assert.equal(streams.connect(() => []).status, 503)
  responses[3].writableLength = 1e9
  streams.send('state', { text: 'a\nb' })
  assert.equal(streams.size, STREAMS - 1)
  assert.equal(responses[0].text, 'event: hello\ndata: {"i":0}\n\nevent: state\ndata: {"text":"a\\nb"}\n\n')
  assert.equal(streams.connect(() => []).status, 200)
  streams.close()
  assert.ok(isEmpty)
})
