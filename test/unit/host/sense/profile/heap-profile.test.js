'use strict'

// runtime: V8's heap profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const v8 = require('node:v8')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { heaviestFunctions } = require('../../../../../lib/explain/profile/heap-functions')
const { HeapProfile } = require('../../../../../lib/host/sense/profile/heap-profile')

const skip = !('startHeapProfile' in v8) && 'this version of Node.js has no v8.startHeapProfile()'

/** @type {object[]} */
const sessions = []
function addSession () {
  sessions.push({ user: 'a'.repeat(10), roles: ['reader'], at: { ms: sessions.length } })
}

function makeHost () {
  const { counters } = openBridge(createMemory())
  /** @type {any[]} */
  const sent = []
  const heapProfile = new HeapProfile(counters, 50, (message) => sent.push(message))
  const take = () => sent.splice(0).map(({ isOn, text }) => ({ isOn, hasText: text !== null, text }))
  return { counters, heapProfile, take }
}

test('the host starts a heap profile while no request is open, and hands over what it shows', { skip }, (t) => {
  const { counters, heapProfile, take } = makeHost()
  t.after(() => heapProfile.stop())
  counters.setInFlight(1)
  heapProfile.run({ isStart: true, isCounting: true })
  heapProfile.run({ isStart: false, isCounting: true })
  assert.deepEqual(take(), [])
  counters.setInFlight(0)
  heapProfile.run({ isStart: true, isCounting: true })
  assert.deepEqual(take(), [{ isOn: true, hasText: false, text: null }])
  for (let i = 0; i < 500_000; i++) addSession()
  counters.setInFlight(1)
  heapProfile.run({ isStart: false, isCounting: true })
  const [{ isOn, text }] = take()
  assert.equal(isOn, false)
  assert.ok(counters.get('profileMicros') > 0, 'the pauses count as the agent\'s own')
  const [{ file, share }] = heaviestFunctions(text, false, (frame) => frame)
  assert.equal(file, __filename)
  assert.ok(share > 0.5, `${share}`)
})

test('a heap profile of another tool goes on, and the agent has none', { skip }, (t) => {
  const { heapProfile, take } = makeHost()
  const handle = /** @type {any} */ (v8).startHeapProfile()
  t.after(() => heapProfile.stop())
  heapProfile.run({ isStart: true, isCounting: false })
  assert.deepEqual(take(), [{ isOn: false, hasText: false, text: null }])
  assert.match(handle.stop(), /^\{"samples":/)
})

test('a heap profile that another tool has ended is none', { skip }, () => {
  const { heapProfile, take } = makeHost()
  heapProfile.run({ isStart: true, isCounting: false })
  const { Session } = require('node:inspector')
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.stopSampling')
  session.disconnect()
  heapProfile.run({ isStart: false, isCounting: false })
  assert.deepEqual(take().map(({ isOn, hasText }) => [isOn, hasText]), [[true, false], [false, false]])
})
