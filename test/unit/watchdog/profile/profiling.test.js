'use strict'

// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const inspector = require('node:inspector')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { nowMs } = require('../../../../lib/util/clock')
const { HostProfiler } = require('../../../../lib/host/sense/profile/profiler')
const { isProfileNeeded, Profiling } = require('../../../../lib/watchdog/profile/profiling')
const { makeRecord } = require('../../../support/record')

test('with its end a profile also ends for a session of the application that has the profiler enabled', () => {
  const own = new inspector.Session()
  own.connect()
  own.post('Profiler.enable')
  /** @type {Set<string>} */
  const open = new Set()
  own.on('Profiler.consoleProfileStarted', (/** @type {any} */ { params }) => open.add(params.title))
  own.on('Profiler.consoleProfileFinished', (/** @type {any} */ { params }) => open.delete(params.title))
  const profiler = new HostProfiler({ counters: openBridge(createMemory()).counters }, { thresholdMs: 50 }, () => {})
  profiler.run('start')
  profiler.run('take')
  assert.equal(open.size, 1)
  profiler.stop()
  own.disconnect()
  assert.equal(open.size, 0)
})

test('the host takes a profile after a block, of blocks in a row after a second, and drops what none needs', async () => {
  /** @type {any[]} */
  const sent = []
  const { counters } = openBridge(createMemory())
  const profiler = new HostProfiler({ counters }, { thresholdMs: 50 }, (message) => sent.push(message))
  const beat = (/** @type {number} */ inMs, /** @type {number} */ activeMs) => profiler.beat(nowMs() + inMs, activeMs)
  const taken = () => sent.filter(({ action }) => action === 'take')
  profiler.late(nowMs())
  profiler.run('start')
  assert.equal(sent.length, 1, 'nothing is taken before it starts')
  profiler.late(nowMs())
  while (taken().length === 0) await new Promise(setImmediate)
  const [{ taken: { startMs, endMs, profile } }] = taken()
  assert.ok(endMs - startMs >= 35, `${endMs - startMs} ms`)
  assert.ok(profile.nodes.length > 0)
  beat(100, 500)
  beat(200, 1100)
  beat(61000, 1200)
  const beganMs = nowMs()
  let pauseMs = 0
  while (taken().length === 1) {
    const lastMs = nowMs()
    profiler.late(lastMs)
    await new Promise(setImmediate)
    pauseMs = Math.max(pauseMs, nowMs() - lastMs)
  }
  // On a busy machine there may be a pause between two blocks: the profile is taken in it.
  assert.ok(nowMs() - beganMs >= 1000 || pauseMs > 20, `${nowMs() - beganMs} ms, longest pause ${pauseMs} ms`)
  assert.ok(taken()[1].taken.startMs > endMs, 'what was thrown away')
  profiler.stop()
})

/** @param {'auto' | 'on'} mode @param {string | null} [refusal] */
function makeProfiling (mode, refusal = null) {
  /** @type {any} */
  const story = {
    asked: [], most: [], said: [], states: [], price: 1, underWay: 0, isStarting: false, window: null
  }
  story.profiling = new Profiling({
    mode,
    refusal,
    ask: (action, mostMs) => {
      story.asked.push(action)
      story.most.push(mostMs)
    },
    thresholdMs: 50,
    price: () => story.price,
    underWay: () => story.underWay,
    isStarting: () => story.isStarting,
    keep: () => story.window,
    say: (level, fields, message) => story.said.push(message),
    onState: (failure) => story.states.push(failure?.message ?? null)
  })
  story.answer = (/** @type {object} */ differences) =>
    story.profiling.receive({
      action: story.asked.at(-1),
      isOn: true,
      tookMs: 12,
      failure: null,
      taken: null,
      atMs: nowMs(),
      ...differences
    })
  return story
}

const native = makeRecord({ cause: 'native', evidence: { ...makeRecord().evidence, nativeMs: 300 } })

test('an automatic profile begins once CPU time has a price, and goes on', () => {
  const story = makeProfiling('auto')
  const { profiling, asked, answer } = story
  story.price = null
  profiling.poll(nowMs(), false)
  story.price = 2
  profiling.poll(nowMs(), true)
  assert.deepEqual(asked, [], 'within a block')
  profiling.poll(nowMs(), false)
  assert.deepEqual([asked, story.most], [['start'], [25]])
  answer()
  assert.equal(profiling.isOn, true)
  profiling.poll(nowMs() + 1e6, false)
  assert.deepEqual(asked, ['start'])
})

test('a block that ended before the profile began does not wait for it, however late the answer is read', () => {
  const { profiling, answer } = makeProfiling('auto')
  const now = nowMs()
  profiling.poll(now, false)
  answer({ atMs: now + 100 })
  profiling.ended(now + 40)
  assert.equal(profiling.isAwaited(now + 40, now + 200), false)
  profiling.ended(now + 300)
  assert.equal(profiling.isAwaited(now + 300, now + 400), true)
})

test('an automatic profile does not begin while the application starts, unless it is wanted', () => {
  for (const isWanted of [false, true]) {
    const story = makeProfiling('auto')
    story.isStarting = true
    story.profiling.poll(nowMs(), false)
    assert.deepEqual(story.asked, [])
    assert.equal(story.profiling.isBusy, true, 'the next poll is a whole one')
    if (isWanted) story.profiling.want()
    else story.isStarting = false
    story.profiling.poll(nowMs(), false)
    assert.deepEqual(story.asked, ['start'])
  }
})

test('an automatic profile does not begin while requests are open, and soon after one that came in between', () => {
  const story = makeProfiling('auto')
  const { profiling, asked, answer } = story
  story.underWay = 1
  profiling.poll(nowMs(), false)
  assert.deepEqual(asked, [])
  story.underWay = 0
  profiling.poll(nowMs(), false)
  answer({ isOn: false, isBusy: true })
  profiling.poll(nowMs() + 50, false)
  assert.equal(asked.length, 1)
  profiling.poll(nowMs() + 200, false)
  assert.equal(asked.length, 2)
})

test('an application that has requests open for a minute has no profile: the log says so once', () => {
  const story = makeProfiling('auto')
  const { profiling, asked, states } = story
  const now = nowMs()
  story.underWay = 1
  profiling.settled(native)
  for (let ms = 0; ms < 59_000; ms += 250) profiling.poll(now + ms, false)
  assert.deepEqual(states, [])
  profiling.poll(now + 61_000, false)
  assert.match(states[0], /during requests; profile: 'on'/)
  assert.deepEqual(asked, [])
})

test('a start that would take longer than a block is tried again ten seconds later, if a block needs the profile', () => {
  const story = makeProfiling('auto')
  const { profiling, asked, states, answer } = story
  const now = nowMs()
  profiling.poll(now, false)
  answer({ isOn: false })
  profiling.settled(makeRecord())
  profiling.poll(now + 100_000, false)
  assert.deepEqual(asked, ['start'], 'no block needs it')
  profiling.settled(native)
  profiling.poll(now + 9_000, false)
  assert.deepEqual(asked, ['start'], 'too early')
  profiling.poll(now + 11_000, false)
  assert.deepEqual(asked, ['start', 'start'])
  assert.deepEqual(states, [])
  answer({ isOn: false })
  assert.match(states[0], /^starting one would pause the application for longer than the threshold.*profile: 'on'/)
})

test('a start that took twice its estimate is reported, and there is none within ten minutes', () => {
  const story = makeProfiling('auto')
  const { profiling, asked, said, answer } = story
  profiling.poll(nowMs(), false)
  answer({ tookMs: 887, estimateMs: 28 })
  assert.match(said.at(-1), /paused the application for 887 ms instead of 28 ms; the profiler does not start again within 10 minutes$/)
  assert.equal(profiling.isOn, true)
  answer({ action: 'take', isOn: false, failure: 'the inspector does not profile' })
  profiling.settled(native)
  profiling.poll(nowMs() + 590_000, false)
  assert.deepEqual(asked, ['start'])
  profiling.poll(nowMs() + 610_000, false)
  assert.deepEqual(asked, ['start', 'start'])
})

test('a profile without a tick in a second is given up, for good and said: V8 is at fault, and its thread spins', () => {
  const stuck = { id: 1, hitCount: 0 }
  /** @type {[object[], number, boolean][]} nodes, ms, whether it is given up */
  const windows = [[[stuck, stuck], 1200, true], [[stuck, { id: 2, hitCount: 1 }], 1200, false], [[stuck], 90, false]]
  for (const [nodes, endMs, isGivenUp] of windows) {
    const story = makeProfiling('auto')
    const { profiling, asked, states, answer } = story
    profiling.poll(nowMs(), false)
    answer()
    profiling.want()
    const taken = { startMs: 0, endMs }
    story.window = { ...taken, profile: { nodes } }
    answer({ action: 'take', taken })
    assert.equal(asked.at(-1) === 'stop', isGivenUp)
    assert.equal(states.at(-1), isGivenUp ? 'V8 delivers no samples, and may use a whole CPU' : null)
    if (!isGivenUp) continue
    answer({ action: 'stop', isOn: false })
    assert.match(states.at(-1), /^V8 delivers no samples/)
    profiling.settled(native)
    profiling.poll(nowMs() + 1e9, false)
    assert.equal(asked.at(-1), 'stop')
  }
})

test('what needs a profile: a native call, a line in doubt, no line at all; not what is nobody\'s code, or startup', () => {
  const { frame } = makeRecord()
  const exact = /** @type {any} */ ({ ...frame, exact: true })
  assert.equal(isProfileNeeded(makeRecord({ frame: exact })), false)
  assert.equal(isProfileNeeded(native), true)
  assert.equal(isProfileNeeded(makeRecord({ frame: { ...exact, exact: false } })), true)
  assert.equal(isProfileNeeded(makeRecord({ frame: null })), true)
  assert.equal(isProfileNeeded(makeRecord({ frame: null, cause: 'starved' })), false)
  assert.equal(isProfileNeeded(makeRecord({ frame: null, startup: true })), false)
})

test('a profile is taken by the host unasked, and waited for but by blocks that came while it rested', () => {
  const { profiling, asked, answer } = makeProfiling('auto')
  const now = nowMs()
  profiling.poll(now, false)
  answer({ atMs: 0 })
  profiling.ended(1000)
  profiling.poll(now + 1e6, false)
  assert.deepEqual(asked, ['start'])
  assert.equal(profiling.isAwaited(1000, 1100), true)
  answer({ action: 'take', taken: { startMs: 0, endMs: 1010, text: 'no JSON' } })
  assert.equal(profiling.isAwaited(1000, 1100), false)

  profiling.ended(2000)
  answer({ action: 'missed', endMs: 2000 })
  assert.equal(profiling.isAwaited(2000, 2100), false, 'told after its end')
  answer({ action: 'missed', endMs: 3000 })
  profiling.ended(3000)
  assert.equal(profiling.isAwaited(3000, 3100), false, 'told before it')
  profiling.settled(makeRecord({ frame: null }), 4000)
  assert.equal(asked.at(-1), 'start', 'a block that the profile saw')
  profiling.settled(makeRecord({ frame: null, cause: 'starved' }), 3000)
  assert.equal(asked.at(-1), 'start')
  profiling.settled(makeRecord({ frame: null }), 3000)
  assert.equal(asked.at(-1), 'stay')
})

test('a profile that is wanted is kept', () => {
  const { profiling, asked, answer } = makeProfiling('auto')
  profiling.want()
  assert.deepEqual(asked, [], 'a start waits for the next poll')
  profiling.poll(nowMs(), false)
  answer()
  profiling.want()
  assert.deepEqual(asked, ['start', 'keep'])
})

test('an automatic profile is given up once the application waits for a lock of SQLite, whose timeout its signals shorten', () => {
  const { evidence } = makeRecord()
  const sleptIn = { call: 'nanosleep', target: '/srv/x.db', text: 'waits for the lock of a SQLite database: /srv/x.db', share: 1 }
  const locked = makeRecord({ cause: 'sync-io', evidence: { ...evidence, sleptIn } })
  for (const mode of /** @type {const} */ (['auto', 'on'])) {
    const { profiling, asked, states, answer } = makeProfiling(mode)
    profiling.poll(nowMs(), false)
    answer()
    profiling.settled(makeRecord({ cause: 'sync-io', evidence: { ...evidence, sleptIn: { ...sleptIn, text: 'nanosleep' } } }))
    assert.deepEqual(asked, ['start'])
    profiling.settled(locked)
    profiling.settled(locked)
    assert.deepEqual(asked, mode === 'auto' ? ['start', 'stop'] : ['start'])
    if (mode === 'on') continue
    answer({ isOn: false })
    profiling.settled(native)
    profiling.poll(nowMs() + 1e9, false)
    assert.equal(asked.length, 2)
    assert.match(states.at(-1), /busy timeout of SQLite/)
  }
})

test('a profile whose reading keeps the application for long is given up, for good, and the log says so', () => {
  const { profiling, asked, states, answer } = makeProfiling('on')
  const now = nowMs()
  profiling.poll(now, false)
  answer()
  profiling.want()
  answer({ action: 'take', tookMs: 40000 })
  assert.equal(asked.at(-1), 'stop')
  answer({ action: 'stop', isOn: false })
  assert.equal(states.at(-1), 'reading the profile paused the application for 40000 ms')
  const { length } = asked
  profiling.poll(now + 1e9, false)
  assert.equal(asked.length, length)
  assert.equal(profiling.isOn, false)
})

test('a profile that cannot be started is tried again a minute later; one that is refused never', () => {
  const story = makeProfiling('on')
  const now = nowMs()
  story.profiling.poll(now, false)
  story.answer({ isOn: false, failure: 'an inspector port is open' })
  assert.deepEqual(story.states, ['an inspector port is open'])
  story.profiling.poll(now + 50000, false)
  assert.equal(story.asked.length, 1)
  story.profiling.poll(now + 70000, false)
  story.answer()
  assert.deepEqual(story.states, ['an inspector port is open', null])

  const refused = makeProfiling('on', 'forbidden')
  refused.profiling.poll(now + 1e9, false)
  assert.deepEqual([refused.asked, refused.states], [[], ['forbidden']])
})
