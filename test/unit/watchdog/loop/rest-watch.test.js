'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RESTS, TURNS } = require('../../../../lib/bridge/beat')
const { Detector } = require('../../../../lib/watchdog/loop/detector')
const { RestWatch } = require('../../../../lib/watchdog/loop/rest-watch')

const NOTHING = { cpuMs: null, runQueueMs: null }
const resting = { beats: 9, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 250, rest: RESTS }

/** @param {{ isAsleep?: boolean, canSee?: boolean }} [seen] */
function watch ({ isAsleep = true, canSee = true } = {}) {
  const sight = { isAsleep, canSee, learn: () => {} }
  const counters = { seesSleep: 1, add: () => { counters.seesSleep++ }, take: () => (counters.seesSleep = 0), setWoken: () => {} }
  return { sight, counters, rest: new RestWatch({ sight, counters, thresholdMs: 50 }) }
}

test('a look at a loop that waits for events counts as a beat', () => {
  const { rest } = watch()
  const beat = rest.see(1150, resting, NOTHING)
  assert.equal(beat.atMs, 1150)
  assert.equal(beat.idleMs, 1050)
  assert.ok(rest.dueAtMs > 1150 && rest.dueAtMs < 1200, `${rest.dueAtMs}`)
})

test('a block out of a rest is opened in time, whether or not the thread says how long it has idled', () => {
  for (const [answeredMs, openedByMs] of [[1060, 1212], [null, 1252]]) {
    const { rest, sight } = watch()
    const detector = new Detector({ thresholdMs: 50, beatPeriodMs: 10 })
    rest.see(1150, resting, NOTHING)
    // It begins at 1160.
    sight.isAsleep = false
    let nowMs = 1195
    for (; detector.block === null && nowMs < 2000; nowMs += 5) {
      const beat = rest.see(nowMs, resting, NOTHING)
      detector.poll({ nowMs, beat, lateBeats: [], idleMs: answeredMs, selfLate: false })
    }
    const { startMs, uncertaintyMs } = /** @type {any} */ (detector.block)
    assert.ok(nowMs - 5 <= Number(openedByMs), `${nowMs - 5}`)
    assert.ok(startMs >= 1160 && startMs - uncertaintyMs <= 1160, `${startMs} -${uncertaintyMs}`)
  }
})

test('what the thread has run since it was seen asleep tells when a turn began', () => {
  const { rest, sight } = watch()
  rest.see(1150, resting, { cpuMs: 70, runQueueMs: 5 })
  sight.isAsleep = false
  const beat = rest.see(1200, resting, { cpuMs: 108, runQueueMs: 7 })
  assert.equal(beat.latestMs, 1160)
})

test('a loop that turns beats by itself', () => {
  const { rest } = watch()
  const beat = { ...resting, rest: TURNS }
  assert.equal(rest.see(1150, beat, NOTHING), beat)
  assert.equal(rest.dueAtMs, Infinity)
})

test('the host may rest once the watchdog sees whether it waits, never by the word of a watchdog before it', () => {
  const { rest, sight, counters } = watch({ canSee: false })
  assert.equal(counters.seesSleep, 0)
  sight.learn = () => { sight.canSee = true }
  rest.see(1000, { ...resting, rest: TURNS }, NOTHING)
  assert.equal(counters.seesSleep, 1)
})
