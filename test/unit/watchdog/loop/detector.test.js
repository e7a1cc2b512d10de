'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Detector } = require('../../../../lib/watchdog/loop/detector')
const { simulate, seeded } = require('../../../support/simulated-host')

const options = { thresholdMs: 50, resolutionMs: 10 }

test('a calm loop opens nothing', () => {
  const { events } = simulate(new Detector(options), { blocks: [], endMs: 10000, random: seeded(1) })
  assert.deepEqual(events, [])
})

test('a block is opened while it lasts and closed with its duration within the uncertainty', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed)
    const durationMs = 65 + random() * 2000
    const block = { startMs: 500 + random() * 30, durationMs }
    const { events } = simulate(new Detector(options), { blocks: [block], endMs: 4000, random })
    assert.deepEqual(events.map(({ type }) => type), ['open', 'close'], `seed ${seed}`)
    const [open, close] = events
    assert.ok(open.atMs <= block.startMs + 50 + 30, `seed ${seed}: opened ${open.atMs - block.startMs} ms after the start`)
    assert.ok(open.atMs >= block.startMs + 50 - 1, `seed ${seed}: opened before it had reached the threshold`)
    assert.ok(Math.abs(close.durationMs - durationMs) <= close.uncertaintyMs + 0.001,
      `seed ${seed}: ${close.durationMs} ± ${close.uncertaintyMs} is not ${durationMs}`)
    assert.ok(close.uncertaintyMs <= 12, `seed ${seed}: uncertain by ${close.uncertaintyMs}`)
  }
})

test('blocks below the threshold are none', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seeded(seed)
    const block = { startMs: 500 + random() * 30, durationMs: 5 + random() * 33 }
    const { events } = simulate(new Detector(options), { blocks: [block], endMs: 2000, random })
    assert.deepEqual(events, [], `seed ${seed}: ${block.durationMs} ms`)
  }
})

test('a storm of blocks is counted whole, however few of them the watchdog sees in progress', () => {
  const blocks = Array.from({ length: 100 }, (_, i) => ({ startMs: 100 + i * 90, durationMs: 70 }))
  const { events } = simulate(new Detector(options), { blocks, endMs: 12000, random: seeded(7), watchdogPauses: [{ startMs: 3000, endMs: 5000 }] })
  assert.equal(events.filter(({ type }) => type === 'close').length, 100)
})

test('where a glance shows nothing a look would have shown nothing either', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seeded(seed)
    const blocks = Array.from({ length: 20 }, (_, i) => ({ startMs: 100 + i * 400 + random() * 100, durationMs: 20 + random() * 150 }))
    const story = { blocks, endMs: 9000, pauses: [{ startMs: 8200, endMs: 8700 }], watchdogPauses: [{ startMs: 3000, endMs: 3000 + random() * 500 }] }
    const [whole, glancing] = [false, true].map((glances) => simulate(new Detector(options), { ...story, random: seeded(seed), glances }))
    assert.deepEqual(glancing.events, whole.events)
    assert.equal(glancing.looks + glancing.glanced, whole.looks)
    assert.ok(glancing.glanced > whole.looks / 4, `${glancing.glanced} glances of ${whole.looks} looks`)
  }
})

test('an endless block stays open, is looked at again and again, and is never closed', () => {
  const { events, looks } = simulate(new Detector(options), { blocks: [{ startMs: 500, durationMs: Infinity }], endMs: 60000, random: seeded(3) })
  assert.deepEqual(events.map(({ type }) => type), ['open'])
  assert.ok(looks > 1000)
})

test('a process stopped as a whole while idle is no block of its code: the loop was waiting', () => {
  const { events } = simulate(new Detector(options), { blocks: [], pauses: [{ startMs: 1003, endMs: 3003 }], endMs: 5000, random: seeded(5) })
  assert.deepEqual(events.map(({ type }) => type), ['close'])
  assert.ok(events[0].busyMs < 50)
  assert.ok(Math.abs(events[0].durationMs - 2000) <= events[0].uncertaintyMs)
})

test('top-level code is a block from start() on, marked as start-up', () => {
  const { events } = simulate(new Detector(options), { blocks: [{ startMs: 0, durationMs: 400 }], endMs: 1000, random: seeded(2), startup: true })
  assert.deepEqual(events.map(({ type }) => type), ['open', 'close'])
  assert.ok(events[0].block.startup)
  assert.ok(Math.abs(events[1].durationMs - 400) <= events[1].uncertaintyMs)
})

test('a loop that has hardly waited for anything is starting up, in whichever turn', () => {
  const beat = { beats: 5, atMs: 1000, idleMs: 19, activeMs: 981, periodMs: 10 }
  const openedAt = (/** @type {number} */ idleMs) => {
    const { events: [opened] } = new Detector({ ...options, startupIdleMs: 20 }).look({ nowMs: 1100, beat: { ...beat, idleMs }, gaps: [], idleMs, selfLate: false })
    return opened.block
  }
  assert.equal(openedAt(19).startup, true)
  assert.equal(openedAt(20).startup, false)
  assert.deepEqual(openedAt(19), { ...openedAt(20), startup: true })
  const gap = { startMs: 1000, endMs: 1200, idleMs: 5, periodMs: 10, beats: 5 }
  const ended = (/** @type {number} */ idleMs) => new Detector({ ...options, startupIdleMs: 20 }).look({ nowMs: 1201, beat: { ...beat, beats: 6, atMs: 1200, idleMs }, gaps: [gap], idleMs: null, selfLate: false }).events[0].block.startup
  assert.deepEqual([ended(19), ended(25)], [true, false])
  const { events: [late] } = new Detector({ ...options, startupIdleMs: 20 }).look({ nowMs: 12000, beat: { ...beat, activeMs: 10000 }, gaps: [], idleMs: 19, selfLate: false })
  assert.equal(late.block.startup, false, 'a loop that never waits starts up for ten seconds')
})

test('a gap lost to a full ring still closes the block', () => {
  const detector = new Detector(options)
  const beat = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 10 }
  assert.equal(detector.look({ nowMs: 1100, beat, gaps: [], idleMs: 905, selfLate: false }).events[0].type, 'open')
  const { events } = detector.look({ nowMs: 1300, beat: { ...beat, beats: 6, atMs: 1295 }, gaps: [], idleMs: null, selfLate: false })
  assert.deepEqual(events.map(({ type }) => type), ['close'])
  assert.equal(detector.open, null)
})

test('a gap that arrives before its beat closes the block and opens no second one', () => {
  const detector = new Detector(options)
  const beat = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 10 }
  detector.look({ nowMs: 1100, beat, gaps: [], idleMs: 905, selfLate: false })
  const gap = { startMs: 1000, endMs: 1200, idleMs: 5, periodMs: 10, beats: 5 }
  const { events, suspicious, wakeAtMs } = detector.look({ nowMs: 1201, beat, gaps: [gap], idleMs: 905, selfLate: false })
  assert.deepEqual([events.map(({ type }) => type), suspicious, detector.open], [['close'], false, null])
  assert.ok(wakeAtMs > 1201)
})
