'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AgentHolds } = require('../../../../lib/watchdog/loop/intervals')

function makeHolds () {
  /** @type {any} */
  const story = { holds: 0, micros: 0 }
  const holds = new AgentHolds({ get: () => story.holds, get heldMicros () { return story.micros } })
  story.adjust = (/** @type {any} */ seen) => holds.adjust(seen)
  story.isCalm = (/** @type {number} */ atMs) => holds.isCalm(atMs)
  return story
}

test('a poll is calm unless the agent keeps the thread, or has kept it since the last one', () => {
  const story = makeHolds()
  const seen = (/** @type {number} */ atMs) =>
    ({ sample: null, lateBeats: [], reading: { atMs }, beat: { atMs, beats: 7 } })
  assert.equal(story.isCalm(10), true)
  story.holds = 1
  assert.equal(story.isCalm(20), false)
  story.adjust(seen(30))
  assert.equal(story.isCalm(40), false, 'it still does')
  story.holds = 2
  assert.equal(story.isCalm(50), false)
  story.adjust(seen(60))
  assert.equal(story.isCalm(70), true)
})

test('the time in which the profiler keeps the host does not count as a missing beat', () => {
  const story = makeHolds()
  const seen = (/** @type {number} */ atMs) =>
    story.adjust({ sample: null, lateBeats: [], reading: { atMs }, beat: { atMs: 0, beats: 7 } }).beat
      .atMs
  assert.equal(seen(60), 0)
  story.holds = 1
  assert.deepEqual([seen(100), seen(400)], [40, 340], 'from the look before on')
  story.holds = 2
  story.micros = 350000
  assert.deepEqual([seen(500), seen(600)], [350, 350])
  // One that does not come to its end.
  story.holds = 3
  assert.deepEqual([seen(1000), seen(5000), seen(7000), seen(8000)], [750, 4750, 350, 350])
})

test('what the profiler held before a beat, however late that is seen, does not hide what follows the beat', () => {
  const story = makeHolds()
  const look = (/** @type {number} */ atMs, /** @type {object} */ beat) =>
    story.adjust({ sample: null, reading: { atMs }, beat, lateBeats: [] }).beat.atMs
  assert.equal(look(1010, { beats: 7, atMs: 1000, heldMicros: 0 }), 1000)
  story.holds = 2
  story.micros = 145_000
  const beat = { beats: 8, atMs: 1200, heldMicros: 145_000 }
  assert.deepEqual([look(1230, beat), look(1290, beat)], [1200, 1200])
})

test('profiles taken within a block move its beginning by what they held, and no more', () => {
  const story = makeHolds()
  const look = (/** @type {number} */ atMs) =>
    story.adjust({ sample: null, reading: { atMs }, beat: { beats: 7, atMs: 1000 }, lateBeats: [] })
      .beat.atMs
  assert.equal(look(1010), 1000)
  story.holds++
  assert.equal(look(1020), 1010, 'a hold begins after the last look')
  assert.equal(look(1050), 1040, 'and goes on')
  story.holds++
  story.micros += 35000
  assert.equal(look(1060), 1035)
  for (let atMs = 3000; atMs < 60000; atMs += 2000) {
    story.holds += 2
    story.micros += 400
    look(atMs)
  }
  assert.ok(Math.abs(look(60000) - (1000 + 35 + 29 * 0.4)) < 0.01)
  // One that does not come to its end hides nothing for long.
  story.holds++
  look(61000)
  assert.ok(look(70000) < 1060)
})
