'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { OutsideView } = require('../../../../lib/host/threads/outside-view')

/**
 * A worker thread whose idle time the test decides, started at 0.
 * @param {Partial<ConstructorParameters<typeof OutsideView>[0]>} [parts]
 */
function makeView (parts) {
  const bridge = openBridge(createMemory())
  const loop = { idle: 0, active: 0, isWaiting: false }
  const read = () => {
    if (loop.isWaiting) loop.idle += 0.001
    return { ...loop }
  }
  const view = new OutsideView({ read, cpuUsage: null, bridge, thresholdMs: 50, createdAtMs: 0, ...parts })
  /** @param {number} nowMs @param {number} idle @param {boolean} isWaiting */
  const look = (nowMs, idle, isWaiting) => {
    Object.assign(loop, { idle, active: nowMs - idle, isWaiting })
    return view.look(nowMs)
  }
  return { bridge, loop, view, look }
}

test('a worker whose idle time does not grow is blocked for as long, within the looks that saw it', () => {
  const { bridge, look } = makeView()
  assert.equal(look(100, 80, true), 0)
  assert.equal(look(200, 150, false), 0)
  assert.equal(look(220, 150, false), 20)
  assert.equal(bridge.beat.read().periodMs, 1e9, 'nobody suspects it yet')
  look(240, 150, false)
  const { atMs, periodMs } = bridge.beat.read()
  assert.deepEqual([atMs, periodMs].map(Math.round), [170, 30], 'busy since 170 at the earliest and 200 at the latest')
  look(440, 150, false)
  assert.equal(look(460, 165, true), 0)
  const [[startMs, endMs, idleMs, doubtMs]] = bridge.lateBeats.drain().map((gap) => gap.map(Math.round))
  // Between 170, had it not waited any more from then on, and 445; seen from 200 to 440.
  assert.deepEqual([startMs, endMs, idleMs, doubtMs], [170, 460, 15, 50])
})

test('many small turns, a single short one, and a loop that nobody watched are not blocks', () => {
  const { bridge, look } = makeView()
  look(100, 50, true)
  for (let i = 1; i <= 20; i++) look(100 + i * 20, 50 + i, false)
  // The main thread was blocked itself: the worker has waited for a second meanwhile, nobody knows when.
  look(3000, 1100, true)
  assert.equal(bridge.lateBeats.drain().length, 0)
})

test('code at the top level is busy from the moment on at which the loop began', () => {
  const { bridge, loop, view } = makeView()
  view.look(100)
  Object.assign(loop, { idle: 0, active: 20 })
  view.look(200)
  view.look(220)
  view.look(240)
  const { atMs, periodMs } = bridge.beat.read()
  assert.deepEqual([atMs, periodMs], [180, 20])
})

test('a loop that has not begun within a second is blocked in its first lines, and a thread that ends is not', () => {
  const { bridge, loop, view } = makeView()
  view.look(900)
  assert.equal(bridge.beat.beats, 0)
  view.look(1100)
  assert.deepEqual([bridge.beat.beats, bridge.beat.read().atMs], [1, 0])
  Object.assign(loop, { idle: 10, active: 90 })
  view.look(1600)
  assert.deepEqual(bridge.lateBeats.drain().map(([startMs, endMs]) => [startMs, endMs]), [[0, 1500]])
  // libuv reads it from another thread, which may be interrupted: a smaller one is not the end.
  loop.idle = 9
  view.look(1650)
  assert.equal(view.isDone, false)
  loop.idle = -1
  view.look(1700)
  assert.equal(view.isDone, true)
})

test('CPU time is asked for where the kernel does not tell, one question at a time', async () => {
  let asked = 0
  /** @type {(usage: NodeJS.CpuUsage) => void} */
  let answer = () => {}
  const { bridge, look } = makeView({ cpuUsage: () => new Promise((resolve) => { asked++; answer = resolve }) })
  look(1100, 100, false)
  look(1200, 100, false)
  assert.equal(asked, 1)
  answer({ user: 40900, system: 2000 })
  await null
  await null
  assert.deepEqual([bridge.counters.get('userMs'), bridge.counters.get('systemMs')], [40, 2])
  look(1300, 100, false)
  assert.equal(asked, 2)
})
