'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OriginTrigger } = require('../../../../lib/watchdog/origin/origin-trigger')
const { makeRecord } = require('../../../support/record')

const HOUR_MS = 60 * 60 * 1000
const MINUTE_MS = 60 * 1000
const origin = { type: 'Timeout', durationMs: 100, frame: { function: 'plan', file: '/srv/jobs.js', line: 1, column: 1 }, frames: [] }

/** @param {Partial<import('../../../../lib/types').BlockRecord>} [differences] */
const puzzling = (differences) => makeRecord({ request: null, durationMs: 100, ...differences })

/** A trigger on a made-up clock, with a loop whose load is the test's to set. */
function makeStory () {
  const trigger = new OriginTrigger()
  /** @type {any} */
  const story = {
    trigger,
    nowMs: 1000,
    beats: 0,
    activeMs: 0,
    idleMs: 0,
    /** @type {{ isAuto: boolean, openedAtMs: number } | null} */
    window: null,
    /** Lets time go by, and gives the first request that comes meanwhile. @param {number} ms @param {number} load */
    pass (ms, load) {
      for (const endMs = story.nowMs + ms; story.nowMs < endMs;) {
        story.nowMs += 25
        story.activeMs += 25 * load
        story.idleMs += 25 * (1 - load)
        story.beats++
        const beat = {
          beats: story.beats,
          atMs: story.nowMs,
          activeMs: story.activeMs,
          idleMs: story.idleMs,
          periodMs: 25
        }
        const request = trigger.poll({ nowMs: story.nowMs, beat, window: story.window })
        if (request) return request
      }
      return null
    },
    /** @param {number} times @param {object} [record] */
    block (times, record = puzzling()) {
      for (let i = 0; i < times; i++) {
        trigger.settled(/** @type {any} */ (record), story.nowMs)
      }
    },
    open () { story.window = { isAuto: true, openedAtMs: story.nowMs } }
  }
  story.pass(6000, 0.1)
  return story
}

test('three blocks of one place without a request open a window of 10 s that says why', () => {
  const story = makeStory()
  story.block(2)
  assert.equal(story.pass(6000, 0.1), null)
  story.block(1)
  const request = story.pass(1000, 0.1)
  assert.deepEqual({ open: request?.open, seconds: request?.seconds }, { open: true, seconds: 10 })
  assert.equal(request.why, '3 blocks in report (/srv/app/report.js:41) outside any request or job')
})

test('blocks in a named job, message or request open none: they have a name already', () => {
  const work = { kind: 'job', name: 'thumbnails:resize', id: '7', parent: null, ended: false }
  for (const differences of [{ work, request: null }, { work: null, request: makeRecord().request }]) {
    const story = makeStory()
    story.block(3, makeRecord(/** @type {any} */ (differences)))
    assert.equal(story.pass(6000, 0.1), null)
  }
})

test('three blocks without a place open one as well, even in requests', () => {
  const story = makeStory()
  story.block(3, makeRecord({ frame: null }))
  assert.equal(story.pass(1000, 0.1)?.why, '3 blocks outside application code')
})

test('blocks of different places, or too far apart, do not', () => {
  const story = makeStory()
  for (const name of ['a', 'b', 'c']) story.block(2, puzzling({ frame: { function: name, file: '/srv/a.js', line: 1, column: 1, exact: true } }))
  assert.equal(story.pass(6000, 0.1), null)
  const spread = makeStory()
  for (let i = 0; i < 5; i++) {
    spread.block(1)
    assert.equal(spread.pass(5.1 * MINUTE_MS, 0.1), null)
  }
})

test('the line may differ between blocks of one place', () => {
  const story = makeStory()
  for (const line of [1, 2, 3]) story.block(1, puzzling({ frame: { function: 'report', file: '/srv/a.js', line, column: 1, exact: true } }))
  assert.equal(story.pass(1000, 0.1)?.open, true)
})

test('blocks to which an origin would add nothing do not', () => {
  for (const record of [
    makeRecord(), puzzling({ cause: 'starved' }), puzzling({ cause: 'suspended' }), puzzling({ cause: 'gc', frame: null }), puzzling({ cause: 'many' }),
    puzzling({ startup: true }), puzzling({ thread: 'worker 1' }),
    puzzling({ origin })
  ]) {
    const story = makeStory()
    story.block(5, record)
    assert.equal(story.pass(6000, 0.1), null, JSON.stringify(record))
  }
})

test('not under load, and not before the load is known; once it is calm, still', () => {
  const story = makeStory()
  story.pass(6000, 0.6)
  story.block(3)
  assert.equal(story.pass(6000, 0.55), null)
  assert.equal(story.pass(6000, 0.2)?.open, true)
  const young = new OriginTrigger()
  for (let i = 0; i < 3; i++) young.settled(puzzling(), 0)
  assert.equal(
    young.poll({ nowMs: 100, beat: { beats: 2, atMs: 100, activeMs: 0, idleMs: 100, periodMs: 25 }, window: null }),
    null
  )
})

test('a window opens at most once an hour, whether it found anything or not, and never during another', () => {
  const story = makeStory()
  story.block(3)
  assert.equal(story.pass(1000, 0.1)?.open, true)
  for (let i = 0; i < 11; i++) {
    story.block(3)
    assert.equal(story.pass(5 * MINUTE_MS, 0.1), null, `${i}`)
  }
  story.block(3)
  assert.equal(story.pass(6 * MINUTE_MS, 0.1)?.open, true)

  const hunting = makeStory()
  hunting.window = { isAuto: false, openedAtMs: hunting.nowMs }
  hunting.block(3)
  assert.equal(hunting.pass(6000, 0.1), null)
})

test('a window ends as soon as the origin it is for is known, and that place needs no other', () => {
  const story = makeStory()
  story.block(3)
  story.pass(1000, 0.1)
  story.open()
  story.block(1)
  story.block(1, puzzling({ origin, frame: { function: 'other', file: '/srv/b.js', line: 1, column: 1, exact: true } }))
  assert.equal(story.pass(1000, 0.1), null)
  story.block(1, puzzling({ origin }))
  assert.deepEqual(story.pass(100, 0.1), { open: false, ended: 'found' })
  story.window = null
  story.block(3)
  assert.equal(story.pass(HOUR_MS + 1000, 0.1), null)
  story.block(3)
  assert.equal(story.pass(6000, 0.1), null)
})

test('places without end take bounded memory, the one that blocks again stays', () => {
  const story = makeStory()
  story.pass(6000, 0.9)
  for (let i = 0; i < 1000; i++) {
    if (i % 50 === 0) story.block(1)
    story.block(1, puzzling({ frame: { function: `f${i}`, file: '/srv/a.js', line: 1, column: 1, exact: true } }))
  }
  assert.match(story.pass(7000, 0.1)?.why, /^3 blocks in report /)
})
