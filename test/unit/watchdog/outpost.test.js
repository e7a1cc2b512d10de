'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { nowMs } = require('../../../lib/util/clock')
const { keepOutpost } = require('../../../lib/watchdog/outpost')
const { eventually } = require('../../support/app')
const { makeDir } = require('../../support/files')

const NS_PER_MS = 1e6
const PERIOD_MS = 10

test('a late beat begins the watchdog only if the host did not just wait for a CPU', async (t) => {
  const tasks = makeDir(t)
  const file = path.join(tasks, `${process.pid}`, 'schedstat')
  fs.mkdirSync(path.dirname(file))
  const fromMs = nowMs()
  /** The host has run for a second, and waited for a CPU ever since. */
  const wait = () => fs.writeFileSync(file, `${1000 * NS_PER_MS} ${Math.round((nowMs() - fromMs) * NS_PER_MS)} 1\n`)
  wait()
  const waiting = setInterval(wait, 1)
  t.after(() => clearInterval(waiting))

  const memory = createMemory()
  const { beat } = openBridge(memory)
  beat.write(fromMs - PERIOD_MS, 1000, 10, PERIOD_MS)
  beat.write(fromMs, 1010, 10, PERIOD_MS)
  let isBegun = false
  const options = /** @type {any} */ ({ threshold: 50, stuck: 0 })
  const outpost = keepOutpost({ memory, options, inspectorRefusal: 'a test', begunAtMs: fromMs }, () => { isBegun = true }, tasks)
  t.after(() => outpost.leave())
  await sleep(400)
  assert.equal(isBegun, false, 'it waited for a CPU all the time')

  clearInterval(waiting)
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
  const outpost = keepOutpost({ memory, options, inspectorRefusal: 'a test', begunAtMs: fromMs }, begin, makeDir(t))
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
