'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { minBlockGapMs } = require('../../../../lib/bridge/beat')
const { Detector } = require('../../../../lib/watchdog/loop/detector')
const { simulate, seeded } = require('../../../support/simulated-host')

const options = { thresholdMs: 50, beatPeriodMs: 10 }

test('a calm loop opens nothing', () => {
  const { events } = simulate(new Detector(options), { blocks: [], endMs: 10000, random: seeded(1) })
  assert.deepEqual(events, [])
})

test('a block is opened while it is in progress and ended with its duration within the uncertainty', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed)
    const durationMs = 65 + random() * 2000
    const block = { startMs: 500 + random() * 30, durationMs }
    const { events } = simulate(new Detector(options), { blocks: [block], endMs: 4000, random })
    assert.deepEqual(events.map(({ type }) => type), ['opened', 'ended'], `seed ${seed}`)
    const [opened, ended] = events
    assert.ok(opened.atMs <= block.startMs + 50 + 30, `seed ${seed}: opened ${opened.atMs - block.startMs} ms after the start`)
    assert.ok(opened.atMs >= block.startMs + 50 - 1, `seed ${seed}: opened before it had reached the threshold`)
    assert.ok(Math.abs(ended.durationMs - durationMs) <= ended.uncertaintyMs + 0.001,
      `seed ${seed}: ${ended.durationMs} ± ${ended.uncertaintyMs} is not ${durationMs}`)
    assert.ok(ended.uncertaintyMs <= 12, `seed ${seed}: uncertain by ${ended.uncertaintyMs}`)
  }
})

test('a beat that is never due opens nothing, and the next one is looked for', () => {
  const detector = new Detector(options)
  const beat = { beats: 2, atMs: 0, idleMs: 0, activeMs: 0, periodMs: Infinity }
  for (const nowMs of [100, 5000]) {
    assert.equal(detector.quickCheck(nowMs, beat), nowMs + 20)
    assert.deepEqual(detector.poll({ nowMs, beat, lateBeats: [], idleMs: null, selfLate: false }),
      { events: [], isOverdue: false, wakeAtMs: nowMs + 20 })
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

test('a burst of blocks is counted whole, however few of them the watchdog sees in progress', () => {
  const blocks = Array.from({ length: 100 }, (_, i) => ({ startMs: 100 + i * 90, durationMs: 70 }))
  const { events } = simulate(new Detector(options), {
    blocks,
    endMs: 12000,
    random: seeded(7),
    watchdogPauses: [{ startMs: 3000, endMs: 5000 }]
  })
  assert.equal(events.filter(({ type }) => type === 'ended').length, 100)
})

test('where a quick check shows nothing a poll would have shown nothing either', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seeded(seed)
    const blocks = Array.from({ length: 20 }, (_, i) => ({
      startMs: 100 + i * 400 + random() * 100,
      durationMs: 20 + random() * 150
    }))
    const story = {
      blocks,
      endMs: 9000,
      pauses: [{ startMs: 8200, endMs: 8700 }],
      watchdogPauses: [{ startMs: 3000, endMs: 3000 + random() * 500 }]
    }
    const [whole, quick] = [false, true].map((quickChecks) =>
      simulate(new Detector(options), { ...story, random: seeded(seed), quickChecks })
    )
    assert.deepEqual(quick.events, whole.events)
    assert.equal(quick.polls + quick.quick, whole.polls)
    assert.ok(quick.quick > whole.polls / 4, `${quick.quick} quick checks of ${whole.polls} polls`)
  }
})

test('an endless block stays open, is polled again and again, and never ends', () => {
  const { events, polls } = simulate(new Detector(options), {
    blocks: [{ startMs: 500, durationMs: Infinity }],
    endMs: 60000,
    random: seeded(3)
  })
  assert.deepEqual(events.map(({ type }) => type), ['opened'])
  assert.ok(polls > 1000)
})

test('a process stopped as a whole while idle is not a block of its code: the loop was waiting', () => {
  const { events } = simulate(new Detector(options), {
    blocks: [],
    pauses: [{ startMs: 1003, endMs: 3003 }],
    endMs: 5000,
    random: seeded(5)
  })
  assert.deepEqual(events.map(({ type }) => type), ['ended'])
  assert.ok(events[0].busyMs < 50)
  assert.ok(Math.abs(events[0].durationMs - 2000) <= events[0].uncertaintyMs)
})

test('top-level code is a block from start() on, marked as startup', () => {
  const { events } = simulate(new Detector(options), {
    blocks: [{ startMs: 0, durationMs: 400 }],
    endMs: 1000,
    random: seeded(2),
    startup: true
  })
  assert.deepEqual(events.map(({ type }) => type), ['opened', 'ended'])
  assert.ok(events[0].block.startup)
  assert.ok(Math.abs(events[1].durationMs - 400) <= events[1].uncertaintyMs)
})

test('a loop that has hardly waited for anything is starting up, in whichever turn', () => {
  const beat = { beats: 5, atMs: 1000, idleMs: 19, activeMs: 981, periodMs: 10 }
  const openedAt = (/** @type {number} */ idleMs) => {
    const {
      events: [opened]
    } = new Detector({ ...options, startupIdleMs: 20 }).poll({
      nowMs: 1100,
      beat: { ...beat, idleMs },
      lateBeats: [],
      idleMs,
      selfLate: false
    })
    return opened.block
  }
  assert.equal(openedAt(19).startup, true)
  assert.equal(openedAt(20).startup, false)
  assert.deepEqual(openedAt(19), { ...openedAt(20), startup: true })
  const late = { startMs: 1000, endMs: 1200, idleMs: 5, periodMs: 10, beats: 5 }
  const ended = (/** @type {number} */ idleMs) =>
    new Detector({ ...options, startupIdleMs: 20 }).poll({
      nowMs: 1201,
      beat: { ...beat, beats: 6, atMs: 1200, idleMs },
      lateBeats: [late],
      idleMs: null,
      selfLate: false
    }).events[0].block.startup
  assert.deepEqual([ended(19), ended(25)], [true, false])
  const {
    events: [afterStartup]
  } = new Detector({ ...options, startupIdleMs: 20 }).poll({
    nowMs: 12000,
    beat: { ...beat, activeMs: 10000 },
    lateBeats: [],
    idleMs: 19,
    selfLate: false
  })
  assert.equal(afterStartup.block.startup, false, 'a loop that never waits starts up for ten seconds')
})

test('a gap lost to a full ring still closes the block', () => {
  const detector = new Detector(options)
  const beat = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 10 }
  assert.equal(detector.poll({ nowMs: 1100, beat, lateBeats: [], idleMs: 905, selfLate: false }).events[0].type, 'opened')
  const { events } = detector.poll({
    nowMs: 1300,
    beat: { ...beat, beats: 6, atMs: 1295 },
    lateBeats: [],
    idleMs: null,
    selfLate: false
  })
  assert.deepEqual(events.map(({ type }) => type), ['ended'])
  assert.equal(detector.block, null)
})

test('a gap that arrives before its beat closes the block and opens no second one', () => {
  const detector = new Detector(options)
  const beat = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 10 }
  detector.poll({ nowMs: 1100, beat, lateBeats: [], idleMs: 905, selfLate: false })
  const late = { startMs: 1000, endMs: 1200, idleMs: 5, periodMs: 10, beats: 5 }
  const { events, isOverdue, wakeAtMs } = detector.poll({
    nowMs: 1201,
    beat,
    lateBeats: [late],
    idleMs: 905,
    selfLate: false
  })
  assert.deepEqual([events.map(({ type }) => type), isOverdue, detector.block], [['ended'], false, null])
  assert.ok(wakeAtMs > 1201)
})

test('a calm thread is not suspected before its beat is half a threshold overdue; the main thread as ever', () => {
  assert.deepEqual(
    [minBlockGapMs(50, 100), minBlockGapMs(50, 25), minBlockGapMs(50, 10), minBlockGapMs(2, 1)],
    [125, 50, 50, 2]
  )
  const detector = new Detector(options)
  const beat = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 100 }
  const poll = (/** @type {number} */ nowMs) =>
    detector.poll({ nowMs, beat, lateBeats: [], idleMs: null, selfLate: false })
  assert.equal(poll(1110).isOverdue, false)
  assert.equal(poll(1110).wakeAtMs, 1126)
  assert.equal(poll(1126).isOverdue, true)
  assert.deepEqual(poll(1152).events.map(({ type }) => type), ['opened'])
})

test('a host that is put aside between its late beat and its next one is not blocked again since the same moment', () => {
  const detector = new Detector(options)
  const beat = { beats: 100, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 10 }
  const late = { startMs: 1000, endMs: 1500, idleMs: 5, periodMs: 10, beats: 100 }
  const poll = (/** @type {number} */ nowMs, /** @type {any[]} */ lateBeats, last = beat) =>
    detector.poll({ nowMs, beat: last, lateBeats, idleMs: 905, selfLate: false }).events.map(({ type }) => type)
  assert.deepEqual([poll(1100, []), poll(1501, [late]), poll(1502, []), poll(1530, [])], [['opened'], ['ended'], [], []])
  const next = { ...beat, beats: 101, atMs: 1531 }
  assert.deepEqual([poll(1532, [], next), poll(1640, [], next)], [[], ['opened']])
})

test('a loop whose thread is woken late was blocked for as long as it was seen to be, busy or not', () => {
  const detector = new Detector(options)
  /** @param {number} nowMs @param {any} beat @param {any[]} lateBeats */
  const poll = (nowMs, beat, lateBeats) =>
    detector.poll({ nowMs, beat, lateBeats, idleMs: null, selfLate: false }).events
  const last = { beats: 5, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 0, latestMs: 1001 }
  assert.deepEqual(poll(1060, last, []).map(({ type }) => type), ['opened'])
  const late = { startMs: 1000, endMs: 1070, idleMs: 69, periodMs: 40, beats: 5 }
  const beat = { beats: 6, atMs: 1070, idleMs: 969, activeMs: 101, periodMs: 40 }
  const [{ type, durationMs, busyMs }] = /** @type {any[]} */ (poll(1071, beat, [late]))
  assert.deepEqual({ type, durationMs, busyMs }, { type: 'ended', durationMs: 69, busyMs: 1 })
})
