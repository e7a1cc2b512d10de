'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ThreadProfiling } = require('../../../../lib/watchdog/threads/thread-profiling')

/** @param {number} threadId @param {boolean} [wants] */
function thread (threadId, wants = true) {
  return {
    threadId,
    wantsProfile: () => wants,
    questionAtMs: -Infinity,
    owesProfile: false,
    /** @type {any[]} */
    got: [],
    profiled (/** @type {any} */ profile) {
      this.owesProfile = false
      this.got.push(profile)
    }
  }
}

/** @param {{ isMainFree?: boolean }} [state] */
function profiling (state = {}) {
  /** @type {number[]} */
  const asked = []
  const post = (/** @type {any} */ { threadId }) => asked.push(threadId)
  const own = new ThreadProfiling(post, () => state.isMainFree ?? true)
  return { own, asked }
}

/** @param {{ questionAtMs: number, startMs: number, heldMs?: number, ofV8Ms?: number }} times */
const taken = ({ questionAtMs, startMs, heldMs = 10, ofV8Ms = startMs }) => ({
  questionAtMs,
  startMs,
  text: JSON.stringify({
    nodes: [],
    samples: [1],
    timeDeltas: [heldMs * 1000],
    startTime: ofV8Ms * 1000,
    endTime: (ofV8Ms + 500) * 1000
  })
})

test('one thread is profiled at a time, ten per minute, the one that has waited longest first', () => {
  const { own, asked } = profiling()
  const threads = [thread(1), thread(2), thread(3, false)]
  own.poll(1000, threads)
  own.poll(1010, threads)
  own.receive(threads[0], taken({ questionAtMs: 1001, startMs: 1020 }))
  own.poll(1600, threads)
  assert.deepEqual(asked, [1])
  for (let now = 2000; now < 62000; now += 100) {
    own.poll(now, threads)
    for (const each of threads) if (each.owesProfile) own.receive(each, taken({ questionAtMs: now, startMs: now }))
  }
  assert.deepEqual(asked.slice(0, 4), [1, 2, 1, 2])
  assert.ok(asked.length <= 11, `${asked.length}`)
})

test('a start that holds its thread for long has a longer pause after it, and a thread in a native call one for other threads', () => {
  const { own, asked } = profiling()
  const threads = [thread(1), thread(2)]
  own.poll(1000, threads)
  own.receive(threads[0], taken({ questionAtMs: 1000, startMs: 1000, heldMs: 100 }))
  own.poll(11400, threads)
  assert.deepEqual(asked, [1])
  own.poll(11600, threads)
  assert.deepEqual(asked, [1, 2])
  // It does not answer.
  own.poll(17700, threads)
  assert.deepEqual(asked, [1, 2, 1])
})

test('nothing is asked while the main thread is blocked', () => {
  const state = { isMainFree: false }
  const { own, asked } = profiling(state)
  own.poll(1000, [thread(1)])
  assert.deepEqual(asked, [])
  state.isMainFree = true
  own.poll(1001, [thread(1)])
  assert.deepEqual(asked, [1])
})

test('a profile has the times of V8 if it has our clock, and a missing one is not an error', () => {
  const { own } = profiling()
  const [one] = [thread(1)]
  own.receive(one, taken({ questionAtMs: 1000, startMs: 1400, ofV8Ms: 1020 }))
  own.receive(one, taken({ questionAtMs: 1000, startMs: 1400, ofV8Ms: 99 }))
  own.receive(one, null)
  own.receive(undefined, taken({ questionAtMs: 1000, startMs: 1400 }))
  assert.deepEqual(one.got.map((each) => each && [each.startMs, each.endMs]), [[1020, 1520], [1400, 1900], null])
})

test('a pattern that V8 has not escaped, or a text that is not a profile, does not end the watchdog', () => {
  const nodes = (/** @type {string} */ pattern) => `[{"id":1,"callFrame":{"functionName":"RegExp: ${pattern}","lineNumber":-1}}]`
  const text = (/** @type {string} */ pattern) => `{"nodes":${nodes(pattern)},"samples":[1],"timeDeltas":[5],"startTime":0,"endTime":5}`
  for (const [given, isRead] of /** @type {[string, boolean][]} */ ([[text('^(\\w+\\s?)*$|"q"'), true], [text('a'), true], ['', false], ['{"nodes":', false]])) {
    /** @type {any[]} */
    const seen = []
    const profiling = new ThreadProfiling(() => {}, () => true)
    const thread = /** @type {any} */ ({ profiled: (/** @type {any} */ profile) => seen.push(profile) })
    profiling.receive(thread, { questionAtMs: 0, startMs: 1, text: given })
    assert.deepEqual(seen.map((each) => each !== null), [isRead], given)
  }
})
