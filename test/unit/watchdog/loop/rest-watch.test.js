'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RESTS, RESTS_SAMPLED, TURNS } = require('../../../../lib/bridge/beat')
const { Detector } = require('../../../../lib/watchdog/loop/detector')
const { RestWatch } = require('../../../../lib/watchdog/loop/rest-watch')

const NOTHING = { cpuMs: null, runQueueMs: null }
const resting = { beats: 9, atMs: 1000, idleMs: 900, activeMs: 100, periodMs: 250, rest: RESTS }

/** @param {{ isAsleep?: boolean, canSee?: boolean }} [seen] */
function watch ({ isAsleep = true, canSee = true } = {}) {
  const sight = { isAsleep, canSee, learn: () => {} }
  /** @type {any} */
  const counters = {
    seesSleep: 1,
    woken: null,
    add: () => { counters.seesSleep++ },
    take: () => (counters.seesSleep = 0),
    setWoken: (/** @type {any} */ woken) => { counters.woken = woken }
  }
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

test('while V8 samples the thread, the host hears when its turn began, from the second poll that meets it awake', () => {
  const { rest, sight, counters } = watch()
  const sampled = { ...resting, rest: RESTS_SAMPLED }
  rest.see(1150, sampled, { cpuMs: 70, runQueueMs: 5 })
  sight.isAsleep = false
  rest.see(1200, sampled, { cpuMs: 71, runQueueMs: 5 })
  assert.equal(counters.woken, null, 'it may have met the handler of a signal')
  rest.see(1210, sampled, { cpuMs: 71, runQueueMs: 5 })
  assert.deepEqual(counters.woken, { beats: 9, afterMs: 200, doubtMs: 50 })
  sight.isAsleep = true
  rest.see(1215, sampled, { cpuMs: 71, runQueueMs: 5 })
  assert.equal(counters.woken.beats, -1, 'it sleeps on')
})

test('an answer does not say when a sampled loop began its turn: signals hide its idle time', () => {
  const { rest, sight } = watch()
  const sampled = { ...resting, rest: RESTS_SAMPLED }
  const detector = new Detector({ thresholdMs: 50, beatPeriodMs: 10 })
  rest.see(1150, sampled, NOTHING)
  sight.isAsleep = false
  for (let nowMs = 1195; detector.block === null && nowMs < 2000; nowMs += 5) {
    detector.poll({ nowMs, beat: rest.see(nowMs, sampled, NOTHING), lateBeats: [], idleMs: 905, selfLate: false })
  }
  const { startMs, uncertaintyMs } = /** @type {any} */ (detector.block)
  assert.deepEqual([startMs, startMs - uncertaintyMs < 1151], [1195, true])
})

test('a loop that has hardly worked for ten seconds is polled half as often, until a block comes out of that', () => {
  const { rest } = watch()
  let beat = { ...resting }
  const restFor = (/** @type {number} */ ms, activeShare = 0.01) => {
    for (const untilMs = beat.atMs + ms; beat.atMs < untilMs;) {
      beat = { ...beat, beats: beat.beats + 1, atMs: beat.atMs + 250, activeMs: beat.activeMs + 250 * activeShare }
      rest.see(beat.atMs, beat, NOTHING)
    }
    return rest.dueAtMs - beat.atMs
  }
  assert.equal(restFor(9000), 45)
  assert.equal(restFor(2000), 90)
  beat = { ...beat, beats: beat.beats + 1, atMs: beat.atMs + 0.5, activeMs: beat.activeMs + 0.4 }
  rest.see(beat.atMs, beat, NOTHING)
  assert.equal(restFor(250), 90, 'a short turn is all work')
  assert.equal(rest.see(beat.atMs + 90, beat, NOTHING).periodMs, 65, 'the next beat is overdue with the next poll')
  assert.equal(restFor(250, 0.5), 45, 'work')
  assert.equal(restFor(11000), 90)
  rest.blocked()
  assert.equal(restFor(20000), 45)
})
