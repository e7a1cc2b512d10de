'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { DebuggerPauses } = require('../../../../lib/watchdog/loop/debugger-pauses')

/** @typedef {Partial<ReturnType<typeof sampleAt>>} SampleParts */

/** @type {import('../../../../lib/types').Frame} */
const frame = { function: 'handler', file: '/app.js', line: 1, column: 1 }

/** A timely answer from JavaScript. @param {number} atMs */
const sampleAt = (atMs) => ({
  atMs,
  questionAtMs: atMs - 1,
  beats: 7,
  idleMs: 10,
  inspectorPort: /** @type {number | null} */ (9229),
  putAtMs: null,
  cpuMs: /** @type {number | null} */ (null),
  request: null,
  late: false,
  frames: [frame]
})

/**
 * Polls of a thread whose last beat came at 0 and whose next one is due at 10.
 * @param {{ call?: string | null, isConnected?: boolean | null }} [thread]
 */
function makeThread (thread = {}) {
  /** @type {unknown[]} */
  const states = []
  const now = { call: 'futex', isConnected: /** @type {boolean | null} */ (true), ...thread }
  const pauses = new DebuggerPauses({
    callName: () => now.call, hasClient: () => now.isConnected, onState: (failure) => states.push(failure)
  })
  /** @param {number | null} ranMs */
  const reading = (/** @type {number} */ atMs, ranMs) =>
    ({ atMs, cpuMs: ranMs, runQueueMs: ranMs === null ? null : 0, throttledMs: 0, stolenMs: null })
  /** @param {number} atMs @param {number | null} ranMs @param {SampleParts | null} [sample] @param {object} [rest] */
  const poll = (atMs, ranMs, sample = null, rest = {}) => pauses.adjust(/** @type {any} */ ({
    sample: sample === null ? null : { ...sampleAt(atMs), ...sample },
    beat: { beats: 7, atMs: 0, idleMs: 0, activeMs: 100, periodMs: 9, cpuMs: null },
    lateBeats: [],
    reading: reading(atMs, ranMs),
    ...rest
  }), reading(0, ranMs === null ? null : 0))
  return { poll, now, states }
}

test('a thread that sleeps and answers is paused, and its turn begins when the pause ends', () => {
  const { poll, now } = makeThread()
  const { sample, beat: { atMs }, pausedFromMs } = poll(61, 1, {})
  assert.deepEqual({ sample, atMs, pausedFromMs }, { sample: null, atMs: 61, pausedFromMs: 11 })
  assert.equal(poll(120, 1).beat.atMs, 120)
  now.call = ''
  const running = poll(150, 30)
  assert.deepEqual([running.beat.atMs, running.pausedFromMs], [121, undefined])
})

test('a pause ends a block that was in progress at the time at which it began', () => {
  const { poll, now } = makeThread({ call: '' })
  assert.equal(poll(61, 50, {}).pausedFromMs, undefined)
  assert.equal(poll(81, 70, {}).pausedFromMs, undefined)
  now.call = 'futex'
  assert.equal(poll(101, 73, {}).pausedFromMs, 84)
})

test('a pause whose first answers are late, or come while the thread runs, has lasted since it began', () => {
  const { poll, now } = makeThread()
  assert.equal(poll(61, 1, { questionAtMs: 40 }).pausedFromMs, undefined)
  now.call = ''
  assert.equal(poll(81, 2, {}).pausedFromMs, undefined)
  now.call = 'futex'
  assert.equal(poll(101, 3, {}).pausedFromMs, 13)
})

test('a pause that looked like a rest of the loop began with its turn', () => {
  const { poll } = makeThread()
  const beat = { beats: 7, atMs: 0, idleMs: 0, activeMs: 100, periodMs: 9, cpuMs: null, latestMs: 60 }
  assert.equal(poll(50, 1, null, { beat }).pausedFromMs, undefined)
  assert.equal(poll(63, 1, {}, { beat }).pausedFromMs, 10)
})

test('a pause in the turn that follows a block begins in that turn', () => {
  const { poll } = makeThread()
  poll(1, 300)
  assert.equal(poll(61, 301, {}).pausedFromMs, 11)
})

test('a block that may be a pause is in doubt until the next answer, for a second at most', () => {
  const { poll } = makeThread()
  assert.equal(poll(61, 1, { questionAtMs: 40 }).mayBePaused, true)
  assert.equal(poll(70, 1).mayBePaused, true)
  assert.equal(poll(1100, 1).mayBePaused, false)
})

for (const [how, thread, ranMs] of /** @type {[string, object, number | null][]} */ ([
  ['while nobody is connected', { isConnected: false }, 1],
  ['in another system call, as of execSync()', { call: 'epoll_wait' }, 1],
  ['that runs', {}, 60],
  ['whose time is unknown', { call: null, isConnected: null }, null]
])) {
  test(`a block of a thread ${how} is in no doubt`, () => {
    const { poll } = makeThread(thread)
    poll(61, ranMs, { questionAtMs: 40 })
    assert.equal(poll(70, ranMs && ranMs + 9).mayBePaused, false)
  })
}

test('the late beat that follows a pause has what ran after it, no more', () => {
  const { poll } = makeThread()
  poll(61, 1, {})
  const late = { startMs: 0, endMs: 1000, idleMs: 5, periodMs: 10, beats: 7, cpuMs: null }
  const beat = { beats: 8, atMs: 1000, periodMs: 10 }
  const { lateBeats: [rest] } = poll(1001, 21, null, { beat, lateBeats: [late] })
  assert.deepEqual([rest.startMs, rest.endMs, rest.idleMs], [980, 1000, 0])
})

/** @type {[string, { call?: string | null, isConnected?: boolean | null }, SampleParts][]} */
const BLOCKS = [
  ['while nobody is connected', { isConnected: false }, {}],
  ['while the port is closed', {}, { inspectorPort: null }],
  ['in another system call, as of execSync()', { call: 'epoll_wait' }, {}],
  ['in Atomics.wait()', {}, { frames: [{ function: 'wait', file: null, line: null, column: null }, frame] }],
  ['in a call that does not answer', {}, { questionAtMs: 20 }],
  ['between two callbacks', {}, { frames: [] }]
]
for (const [how, thread, sample] of BLOCKS) {
  test(`a thread that sleeps ${how} is not paused`, () => {
    const { poll } = makeThread(thread)
    assert.equal(poll(61, 1, sample).pausedFromMs, undefined)
  })
}

test('a thread that runs is not paused', () => {
  const { poll } = makeThread()
  assert.equal(poll(61, 45, {}).pausedFromMs, undefined)
})

test('without the figures of the kernel a long time without CPU time is a pause, and the doubt is reported', () => {
  const beat = { beats: 7, atMs: 0, idleMs: 0, periodMs: 9, cpuMs: 0 }
  const { poll, states } = makeThread({ call: null, isConnected: null })
  assert.equal(poll(61, null, { cpuMs: 0 }, { beat }).pausedFromMs, 10)
  assert.deepEqual(states, [{ message: 'the inspector port 9229 is open' }])
  const running = makeThread({ call: null, isConnected: null })
  assert.equal(running.poll(61, null, { cpuMs: 20 }, { beat }).pausedFromMs, undefined)
})

test('an answer while the port is closed ends the doubt', () => {
  const { poll, states } = makeThread()
  poll(61, null, { inspectorPort: null })
  assert.deepEqual(states, [null])
})
