'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { nowMs } = require('../../../lib/util/clock')
const { keepLookout } = require('../../../lib/watchdog/lookout')
const { eventually } = require('../../support/app')

const PERIOD_MS = 25

/** @param {import('node:test').TestContext} t @param {number} stuck */
function start (t, stuck = 0) {
  const memory = createMemory()
  const { beat } = openBridge(memory)
  const begunAtMs = nowMs()
  const seen = { begunAtMs, lateAtMs: 0 }
  const options = /** @type {any} */ ({ stuck })
  const lookout = keepLookout({ memory, options, begunAtMs }, () => { seen.lateAtMs = nowMs() })
  t.after(() => lookout.leave())
  const write = (periodMs = PERIOD_MS) => {
    const atMs = nowMs()
    beat.write(atMs, 0, 0, periodMs)
    return atMs
  }
  write()
  return { seen, write }
}

test('a lookout calls at the first late beat, and not at one that is on time', async (t) => {
  const { seen, write } = start(t)
  let beatAtMs = write()
  // On a busy machine even this timer is late.
  for (let i = 0; i < 20 && seen.lateAtMs === 0; i++) {
    await sleep(5)
    if (seen.lateAtMs === 0) beatAtMs = write()
  }
  await eventually(() => seen.lateAtMs > 0, 'the call')
  assert.ok(seen.lateAtMs - beatAtMs >= PERIOD_MS, `${seen.lateAtMs - beatAtMs} ms after the last beat`)
})

test('a start without a turn of the loop is left alone for a while', async (t) => {
  const { seen } = start(t)
  await eventually(() => seen.lateAtMs > 0, 'the call')
  assert.ok(seen.lateAtMs - seen.begunAtMs >= 800, `${seen.lateAtMs - seen.begunAtMs} ms`)
})

test('a start is given no longer than a stuck process', async (t) => {
  const { seen } = start(t, 200)
  await eventually(() => seen.lateAtMs > 0, 'the call')
  const tookMs = seen.lateAtMs - seen.begunAtMs
  assert.ok(tookMs >= 200 && tookMs < 800, `${tookMs} ms`)
})

test('a beat that is never due is not late, and needs no timer that Node.js refuses', async (t) => {
  /** @type {string[]} */
  const warnings = []
  const onWarning = (/** @type {Error} */ { name }) => warnings.push(name)
  process.on('warning', onWarning)
  t.after(() => process.removeListener('warning', onWarning))
  const { seen, write } = start(t)
  write(Infinity)
  await sleep(250)
  assert.deepEqual({ lateAtMs: seen.lateAtMs, warnings }, { lateAtMs: 0, warnings: [] })
})
