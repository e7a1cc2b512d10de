'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { nowMs } = require('../../../../lib/util/clock')
const { FrameTable } = require('../../../../lib/explain/source/frame-table')
const { Explainer } = require('../../../../lib/watchdog/loop/explainer')
const { LoopMonitor } = require('../../../../lib/watchdog/loop/monitor')
const { Sampler } = require('../../../../lib/watchdog/loop/sampler')
const { isRecord } = require('../../../../lib/store/record')
const { packageIn } = require('../../../../lib/watchdog/source/source-reader')

const surroundings = { gcPauses: { within: () => 0 }, lateness: { within: () => 0 } }
const sinks = { opened () {}, lasting () {}, stuck () {}, ended () {}, settled () {} }

/**
 * A thread that the kernel says nothing of, which never answers; `memory` is its host's side.
 * @param {object} [parts]
 */
function monitored (parts = {}) {
  const memory = openBridge(createMemory())
  const unknown = { cpuMs: null, runQueueMs: null, throttledMs: 0, stolenMs: null }
  const reading = (/** @type {number} */ atMs) => ({ atMs, ...unknown })
  const monitor = new LoopMonitor(
    /** @type {any} */ ({
      owner: { thread: 'main', threadId: 0 },
      bridge: memory,
      options: { threshold: 50, beatPeriod: 5, stuck: 0 },
      sampler: new Sampler({ channel: memory.answer, ask: () => false }),
      stats: { read: reading, precise: (/** @type {unknown} */ seen) => seen },
      surroundings,
      explainer: new Explainer({ set () {}, threw () {} }),
      code: { table: new FrameTable((frame) => frame), packageIn },
      nextId: () => '1',
      ...parts
    })
  )
  return { monitor, memory }
}

test('a loop that has beaten after a block has it in its active time once, before the watchdog polls again too', () => {
  const { monitor, memory } = monitored()
  memory.beat.write(nowMs() - 400, 0, 100, 10)
  monitor.poll(nowMs(), false, sinks)
  const during = monitor.state
  assert.ok(during.inProgressMs >= 350 && monitor.blockedMs >= 350, `${during.inProgressMs} ms in progress`)
  assert.equal(Math.round(during.activeMs), Math.round(100 + during.inProgressMs))

  memory.beat.write(nowMs(), 0, 500, 10)
  assert.deepEqual([monitor.state.activeMs, monitor.state.inProgressMs, monitor.blockedMs], [500, 0, 0])
})

test('a startup ends with the first work that the application names, however busy the loop stays', () => {
  const { monitor, memory } = monitored()
  /** @type {boolean[]} */
  const opened = []
  const block = () => {
    memory.beat.write(nowMs() - 200, 0, 100, 10)
    monitor.poll(nowMs(), false, sinks)
    // The first report waits a moment for a place.
    monitor.poll(nowMs() + 20, false, { ...sinks, opened: ({ startup }) => opened.push(startup) })
    memory.beat.write(nowMs(), 0, 300, 10)
    monitor.poll(nowMs(), false, sinks)
  }
  block()
  memory.counters.setWorkInFlight(1)
  block()
  memory.counters.setWorkInFlight(0)
  block()
  block()
  assert.deepEqual(opened, [true, true, false, false], 'the block in which the work begins may still load modules')
})

test('a worker thread whose beat is made up is blocked until its real one comes', () => {
  const adjust = (/** @type {any} */ pollReading) => ({ ...pollReading, beat: { ...pollReading.beat, beats: 7 } })
  const { monitor, memory } = monitored({ adjust })
  memory.beat.write(nowMs() - 400, 0, 100, 10)
  monitor.poll(nowMs(), false, sinks)
  assert.ok(monitor.blockedMs >= 350, `${monitor.blockedMs} ms`)
  memory.beat.write(nowMs(), 0, 500, 10)
  assert.equal(monitor.blockedMs, 0)
})

test('a CPU profile that cannot be explained costs its block nothing but what it would have shown', () => {
  /** @type {string[]} */
  const thrown = []
  const { monitor, memory } = monitored({
    code: { table: new FrameTable((frame) => frame), packageIn, sources: () => { throw new Error('broken') } },
    surroundings: { ...surroundings, windows: { within: () => null } },
    explainer: new Explainer({ set () {}, threw: (part, { message }) => thrown.push(message) })
  })
  /** @type {number[]} */
  const settled = []
  memory.beat.write(nowMs() - 200, 0, 100, 10)
  monitor.poll(nowMs() - 100, false, sinks)
  monitor.poll(nowMs() - 50, false, sinks)
  memory.beat.write(nowMs(), 0, 300, 10)
  monitor.poll(nowMs(), false, sinks)
  monitor.stop(nowMs(), { ...sinks, settled: ({ durationMs }) => settled.push(durationMs) })
  assert.equal(settled.length, 1)
  assert.ok(thrown.length > 0 && thrown.every((message) => message === 'broken'), `${thrown}`)
})

test('a block that cannot be explained at all has its duration and the cause unknown, and that is reported', () => {
  /** @type {(string | undefined)[]} */
  const failures = []
  const { monitor, memory } = monitored({
    // Evidence of a kind that nobody has thought of.
    surroundings: { ...surroundings, origins: { within: () => ({ type: 'Timeout' }) } },
    explainer: new Explainer({ set: (part, failure) => failures.push(failure?.message), threw () {} })
  })
  /** @type {import('../../../../lib/types').BlockRecord[]} */
  const settled = []
  memory.beat.write(nowMs() - 200, 0, 100, 10)
  monitor.poll(nowMs() - 100, false, sinks)
  memory.beat.write(nowMs(), 0, 300, 10)
  monitor.poll(nowMs(), false, sinks)
  monitor.stop(nowMs(), { ...sinks, settled: (record) => settled.push(record) })
  assert.deepEqual(settled.map(({ cause, frame }) => ({ cause, frame })), [{ cause: 'unknown', frame: null }])
  assert.ok(settled[0].durationMs >= 190, `${settled[0].durationMs}`)
  assert.ok(isRecord(settled[0]))
  assert.ok(failures.length > 0 && !failures.includes(undefined), `${failures}`)
})
