'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { nowMs } = require('../../../lib/util/clock')
const { keepOutpost } = require('../../../lib/watchdog/outpost')
const { eventually } = require('../../support/app')

const NS_PER_MS = 1e6
const PERIOD_MS = 10
/** A kernel that does not tell. */
const nothing = { read: () => null, close: () => {} }

test('a late beat begins the watchdog only if the host did not just wait for a CPU', async (t) => {
  const fromMs = nowMs()
  let untilMs = Infinity
  /** The host has run for a second, and waited for a CPU ever since. */
  const sched = {
    read: () => `${1000 * NS_PER_MS} ${Math.round((Math.min(nowMs(), untilMs) - fromMs) * NS_PER_MS)} 1\n`,
    close: () => {}
  }

  const memory = createMemory()
  const { beat } = openBridge(memory)
  beat.write(fromMs - PERIOD_MS, 1000, 10, PERIOD_MS)
  beat.write(fromMs, 1010, 10, PERIOD_MS)
  let isBegun = false
  const options = /** @type {any} */ ({ threshold: 50, stuck: 0 })
  const outpost = keepOutpost({ memory, options, inspectorRefusal: 'a test', begunAtMs: fromMs }, () => { isBegun = true }, sched)
  t.after(() => outpost.leave())
  await sleep(400)
  assert.equal(isBegun, false, 'it waited for a CPU all the time')

  untilMs = nowMs()
  await eventually(() => isBegun, 'the watchdog to begin once the host has a CPU and does not beat')
})

test('a process that was stopped for a while begins no watchdog when it goes on', async (t) => {
  const memory = createMemory()
  const { beat } = openBridge(memory)
  const fromMs = nowMs()
  beat.write(fromMs - PERIOD_MS, 1000, 10, PERIOD_MS)
  beat.write(fromMs, 1010, 10, PERIOD_MS)
  let begunAtMs = 0
  const options = /** @type {any} */ ({ threshold: 50, stuck: 0 })
  const begin = () => { begunAtMs = nowMs() }
  const outpost = keepOutpost({ memory, options, inspectorRefusal: 'a test', begunAtMs: fromMs }, begin, nothing)
  t.after(() => outpost.leave())
  // Neither this thread nor the host runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(begunAtMs, 0, 'nobody could beat')
  const beatAtMs = nowMs()
  beat.write(beatAtMs, 1020, 10, PERIOD_MS)
  await eventually(() => begunAtMs > 0, 'the watchdog to begin once a beat is late')
  assert.ok(begunAtMs - beatAtMs >= options.threshold, `begun after ${begunAtMs - beatAtMs} ms`)
})
